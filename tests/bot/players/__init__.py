"""Tests of ``bot/players``, one file a module."""
