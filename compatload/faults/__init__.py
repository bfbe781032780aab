"""What is known to go wrong: a file for each fault, whose number is its name."""
