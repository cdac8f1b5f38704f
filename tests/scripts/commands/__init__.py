"""Tests of ``scripts/commands``, one file a module."""
