"""The measurement of the levels."""

from __future__ import annotations

import pytest

from mancala.scripts.bench import levels
from mancala.scripts.tournament.workers import contest
from mancala.server.headless.event import plan
from mancala.server.model.pair_counts import PairCounts

CONDITIONS = contest.conditions_of("kalah", contest.PlayerLimits(), seed=3)


def test_a_step_is_two_levels_in_pairs_from_random_openings() -> None:
    """The seats are swapped, no opening comes twice, and level 10 is bounded by nodes."""
    event = levels.event_of([10, 9], 4, CONDITIONS, nodes=500)
    assert [player.spec for player in event.contenders] == [
        "engine:level=10,nodes=500",
        "engine:level=9",
    ]
    tasks = plan(event, {}).tasks
    assert len(tasks) == 8
    assert len({task.opening for task in tasks}) == 4
    for one, two in zip(tasks[::2], tasks[1::2], strict=True):
        assert one.players == two.players[::-1]
        assert one.opening == two.opening


def test_the_error_of_a_score_comes_from_the_spread_of_pairs() -> None:
    """Two pairs won and two halved are a score of 3/4, give or take 0.28."""
    counts = PairCounts((0, 0, 2, 0, 2))
    assert counts.score == 0.75
    assert levels.score_error(counts) == pytest.approx(
        1.96 * (4 * 0.25**2 / 3 / 4) ** 0.5, rel=1e-3
    )
    assert levels.score_error(PairCounts((0, 0, 0, 0, 3))) == 0.0


def test_levels_are_measured_and_rise() -> None:
    """Levels far apart come out far apart, in a step and in a round robin."""
    far = levels.event_of([5, 1], 10, CONDITIONS, nodes=100)
    assert levels.step(5, far, workers=1).score > 0.75
    event = levels.event_of([1, 4, 8], 4, CONDITIONS, nodes=100)
    told = levels.summary(levels.round_robin(event, workers=1))
    assert told["games"] == 24
    assert told["monotone"], told
    assert told["scores"] == sorted(told["scores"])
