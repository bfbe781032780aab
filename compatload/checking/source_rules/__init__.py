"""What can be wrong in a Python file: one module a family of rules.

Each family has ``TRIGGERS``, patterns that are all found in the bytes of every file with such a
finding, and ``find(source, target)``.
"""
