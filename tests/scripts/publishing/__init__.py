"""Tests of ``scripts/views``, one file a module."""
