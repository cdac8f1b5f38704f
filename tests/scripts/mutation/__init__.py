"""Tests of `scripts.mutation`."""
