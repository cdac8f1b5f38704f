"""Tests of scripts/bench/serving."""
