"""Tests of the ladder's statistics: ratings and pairing."""
