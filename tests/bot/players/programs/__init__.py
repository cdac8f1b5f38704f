"""Tests of ``bot/players/programs``, one file a module."""
