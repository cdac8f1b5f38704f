"""Tests of ``server/config``, one file a module."""
