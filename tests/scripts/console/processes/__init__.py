"""Tests of ``scripts/console/processes``, one file a module."""
