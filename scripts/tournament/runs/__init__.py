"""Headless matches and tournaments: their openings, execution, and kept games."""
