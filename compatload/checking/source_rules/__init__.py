"""What can be wrong in a Python file: one module a family of rules.

Each family has a ``TRIGGER``, bytes that every file with such a finding contains, and
``find(source, target)``.
"""
