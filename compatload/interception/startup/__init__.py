"""A folder for ``PYTHONPATH``: every Python that starts with it gets the safe loaders."""
