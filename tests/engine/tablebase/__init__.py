"""Endgame tables: floors, building, and files."""
