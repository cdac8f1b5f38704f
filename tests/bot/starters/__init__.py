"""Tests of the starters' texts; `tests/end_to_end/test_starters.py` lets them play."""
