"""Tests of the compiled code."""
