"""Tests of events: plans, pairings, brackets and tables."""
