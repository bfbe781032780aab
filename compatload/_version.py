"""The release of compatload."""

__version__ = "0.1.0"
