"""Tests of ``server/lobby``, one file a module."""
