"""What is known to go wrong, as data: one module a family, ids that stay."""
