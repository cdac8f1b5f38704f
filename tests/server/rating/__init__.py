"""Tests of the ladder's statistics, ratings, pairing and standings."""
