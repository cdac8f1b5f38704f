"""Tests of `scripts.simulate`."""
