"""Tests of ``server/publish``, one file a module."""
