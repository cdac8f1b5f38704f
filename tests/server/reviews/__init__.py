"""Tests of ``server/reviews``, one file a module."""
