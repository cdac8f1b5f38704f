"""Tests of scripts/bench/search."""
