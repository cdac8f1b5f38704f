"""Tests of ``scripts/tournament/runs``, one file a module."""
