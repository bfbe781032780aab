"""The networks that show a fault, in a file of its number."""
