"""Tests of ``scripts/analysis``, one file a module."""
