"""Pages to read: one file each, without a network."""
