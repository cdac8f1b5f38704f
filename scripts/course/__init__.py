"""Courses: what teams hand in is built, checked, and marked against a scale that never moves."""
