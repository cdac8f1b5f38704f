"""Tests of ``server/match``, one file a module."""
