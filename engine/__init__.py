"""Strength: compiled search, evaluation, endgame tables and exact solver."""
