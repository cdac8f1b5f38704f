"""Headless matches and tournaments: their folders, their workers, their machines."""
