"""Tests of ``server/contest/rate``, one file a module."""
