"""Many games in one call of compiled code."""
