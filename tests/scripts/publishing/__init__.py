"""Tests of ``scripts/console/views``, one file a module."""
