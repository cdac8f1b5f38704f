"""Tests of events under way."""
