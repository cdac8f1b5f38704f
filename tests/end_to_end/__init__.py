"""Whole programs, as a user runs them."""
