"""Tests of what renders the documentation."""
