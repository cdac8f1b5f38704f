"""Tests of ``server/model``, one file a module."""
