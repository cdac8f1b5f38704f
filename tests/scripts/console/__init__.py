"""Tests of ``scripts/console``, one file a module."""
