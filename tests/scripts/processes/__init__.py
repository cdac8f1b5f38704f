"""Tests of ``scripts/processes``, one file a module."""
