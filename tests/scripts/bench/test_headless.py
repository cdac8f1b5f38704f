"""The measurement of headless matches."""

from __future__ import annotations

from scripts.bench.headless import match_of, renumber
from server.headless.event import plan


def test_the_games_measured_are_whole_pairs_from_openings_of_their_own() -> None:
    """What is measured is a match: numbered from 0, seats swapped, none of the first openings."""
    tasks = plan(match_of(16, seed=1), {}).tasks
    measured = [renumber(task, 10) for task in tasks[10:]]
    assert [task.number for task in measured] == list(range(6))
    for one, two in zip(measured[::2], measured[1::2], strict=True):
        assert one.players == two.players[::-1]
        assert one.opening == two.opening
    assert not {task.opening for task in tasks[:10]} & {task.opening for task in measured}
