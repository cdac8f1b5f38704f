"""The drills' own reckoning; the drills themselves run in tests/end_to_end."""
