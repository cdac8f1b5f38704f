"""Tests of ``scripts/events``, one file a module."""
