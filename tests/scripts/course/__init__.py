"""Tests of ``scripts/course``, one file a module."""
