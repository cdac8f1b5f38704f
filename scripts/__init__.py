"""The ``mancala`` command and the drills: composes every room, and nothing imports it."""
