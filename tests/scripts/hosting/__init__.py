"""Tests of ``scripts/hosting``, one file a module."""
