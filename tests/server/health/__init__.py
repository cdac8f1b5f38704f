"""Tests of ``server/health``, one file a module."""
