"""Tests of ``server/store``, one file a module."""
