"""Tests of the classic players, one file a module."""
