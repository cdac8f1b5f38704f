"""The measurement of the levels."""

from collections.abc import Iterator

import pytest

from mancala.engine import openings
from mancala.headless import conditions_of
from mancala.protocol.rules import KALAH
from mancala.scripts.bench.search import levels
from mancala.scripts.bench.search.levels import LevelField
from mancala.server.contest.headless.event import plan
from mancala.server.contest.headless.standings import standings_of
from mancala.server.model.pair_counts import PairCounts

NODES = 100


@pytest.fixture(scope="module")
def field() -> Iterator[LevelField]:
    conditions = conditions_of(seed=3)
    with LevelField.opened(conditions, NODES, workers=1) as opened:
        yield opened


def test_a_step_is_two_levels_in_pairs_from_the_openings_of_a_match(field: LevelField) -> None:
    """The seats are swapped, no opening comes twice, and level 10 is bounded by nodes."""
    event = field.robin([10, 9], 4)
    assert [player.spec for player in event.contenders] == [
        f"engine:level=10,nodes={NODES}",
        "engine:level=9",
    ]
    tasks = plan(event, {}).tasks
    assert len(tasks) == 8
    known = openings.shipped(KALAH)
    assert known is not None
    taken = {task.opening for task in tasks}
    assert len(taken) == 4
    assert taken <= {opening.board for opening in known.openings}
    for one, two in zip(tasks[::2], tasks[1::2], strict=True):
        assert one.players == two.players[::-1]
        assert one.opening == two.opening


def test_games_from_the_start_are_as_many_and_have_no_opening(field: LevelField) -> None:
    """They are counted apart."""
    tasks = plan(field.robin([4, 3], 2, from_start=True), {}).tasks
    assert [task.opening for task in tasks] == ["", "", "", ""]


def test_the_error_of_a_score_comes_from_the_spread_of_pairs() -> None:
    """Two pairs won and two halved are a score of 3/4, give or take 0.28."""
    counts = PairCounts((0, 0, 2, 0, 2))
    assert counts.score == 0.75
    assert levels.score_error(counts) == pytest.approx(
        1.96 * (4 * 0.25**2 / 3 / 4) ** 0.5, rel=1e-3
    )
    assert levels.score_error(PairCounts((0, 0, 0, 0, 3))) == 0.0


def test_levels_are_measured_and_rise(field: LevelField) -> None:
    """Levels far apart come out far apart: in a step, in a round robin and on the joint scale."""
    far = levels.results(field.play(field.robin([5, 1], 10)))
    found = levels.step(5, far)
    won, drawn, lost = found.games
    assert found.score == (won + drawn / 2) / 20 > 0.75
    assert won + drawn + lost == 20
    event = field.robin([1, 4, 8], 4)
    played = field.play(event)
    told = levels.summary(standings_of(event, played))
    assert told["games"] == 24
    assert told["monotone"], told
    assert told["scores"] == sorted(told["scores"])
    zero, *higher = levels.scale([far, levels.results(played)])
    assert (zero.elo, zero.error) == (0, 0)
    assert [rating.name for rating in higher] == ["level 4", "level 5", "level 8"]
    assert 0 < higher[0].elo < higher[-1].elo
    assert all(rating.error > 0 for rating in higher)
