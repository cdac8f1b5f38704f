"""``mancala dataset``: positions with the proven values of all moves, for learners."""
