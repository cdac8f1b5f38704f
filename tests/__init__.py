"""Tests: one folder a room, one file a module, and whole programs in ``end_to_end``."""
