"""Tests of ``scripts/tuning``, one file a module."""
