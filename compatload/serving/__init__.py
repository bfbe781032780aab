"""Models of a service: loaded beside the one that serves, exchanged without a pause."""
