"""Measurements of published figures against the truth, in short."""
