"""Endgame tables: baselines, building, and files."""
