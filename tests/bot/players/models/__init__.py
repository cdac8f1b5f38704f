"""Tests of ``bot/players/models``, one file a module."""
