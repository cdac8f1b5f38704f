"""The measurement of headless matches."""

from mancala.scripts.bench.headless import compared, match_of
from mancala.server.contest.headless.event import plan


def test_the_games_measured_are_whole_pairs_from_openings_of_their_own() -> None:
    """What is measured is a match: numbered from 0, seats swapped, no opening twice."""
    tasks = plan(match_of(("random", "greedy"), 16, seed=1), {}).tasks
    assert [task.number for task in tasks] == list(range(16))
    for one, two in zip(tasks[::2], tasks[1::2], strict=True):
        assert one.players == two.players[::-1]
        assert one.opening == two.opening
    assert len({task.opening for task in tasks}) == 8


def test_batches_are_faster_than_the_referee() -> None:
    """The same games take less CPU by the batch, as the ratio says."""
    speeds = compared(match_of(("random", "greedy"), 400, seed=1), 10)
    assert speeds["batch"] > 2 * speeds["referee"]
