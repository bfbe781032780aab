"""What a fleet of models costs: ``python -m benchmarks.fleet``."""
