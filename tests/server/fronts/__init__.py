"""Fronts, one test file a module."""
