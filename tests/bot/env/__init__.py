"""Mancala as an environment for learners."""
