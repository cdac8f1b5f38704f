"""Tests of ``engine/tuning``, one file a module."""
