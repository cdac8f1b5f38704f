"""Tests of ``scripts/publishing``, one file a module."""
