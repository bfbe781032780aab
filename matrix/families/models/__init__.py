"""The networks, one module for each kind of task."""
