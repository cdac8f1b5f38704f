"""Tests of `scripts.simulate.box`."""
