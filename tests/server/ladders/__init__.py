"""Tests of ``server/ladders``, one file a module."""
