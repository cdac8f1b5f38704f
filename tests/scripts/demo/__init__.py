"""Tests of ``scripts/demo``, one file a module."""
