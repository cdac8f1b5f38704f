"""The levels' strength on a slow machine: the short form of the measurement."""

from __future__ import annotations

from mancala.scripts.bench.calibration.busy_levels import found_busy


def test_a_machine_too_slow_for_the_levels_voids_none_of_their_games() -> None:
    """Level 10 takes longer than the limit for nearly every move; ``greedy`` may be held up."""
    found = found_busy("greedy", 10, 1)
    assert [(found[each]["games"], found[each]["void_games"]) for each in ("hurry", "leisure")] == [
        (10, 0),
        (10, 0),
    ]
