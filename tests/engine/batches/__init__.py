"""Tests of games in batches."""
