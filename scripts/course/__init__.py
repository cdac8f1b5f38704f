"""Courses: what teams hand in is hosted, and marked against a scale that never moves."""
