"""Benchmarks: ratios measured in one run, printed as JSON; know the console alone."""
