"""Drills: the product under conditions that no test has the patience for."""
