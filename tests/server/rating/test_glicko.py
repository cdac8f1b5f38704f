"""The live number: the published example, and a deviation that shrinks with games."""

from math import isfinite

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mancala.server.model.entrant import MOST_DEVIATION, LiveRating
from mancala.server.rating.glicko import Met, after_game, after_period

lives = st.builds(LiveRating, st.floats(-1000, 5000), st.floats(20, 350), st.floats(0.001, 0.2))


def test_the_published_example() -> None:
    """Glickman's player of 1500 ± 200 ends at 1464.06 ± 151.52 with volatility 0.05999."""
    games = [
        Met(LiveRating(1400, 30), 1),
        Met(LiveRating(1550, 100), 0),
        Met(LiveRating(1700, 300), 0),
    ]
    found = after_period(LiveRating(1500, 200, 0.06), games)
    assert found.elo == pytest.approx(1464.06, abs=0.01)
    assert found.deviation == pytest.approx(151.52, abs=0.01)
    assert found.volatility == pytest.approx(0.05999, abs=1e-5)


def test_truth_is_approached(rng: np.random.Generator) -> None:
    """After 200 games against known opponents the number is close and knows it."""
    gaps, sure = [], []
    for _ in range(60):
        live = LiveRating()
        for _ in range(200):
            opponent = LiveRating(float(rng.normal(1700, 150)), 40)
            expected = 1 / (1 + 10 ** ((opponent.elo - 1800) / 400))
            live, _ = after_game(live, opponent, float(rng.random() < expected))
        gaps.append(live.elo - 1800)
        sure.append(live.deviation)
    assert np.sqrt(np.mean(np.square(gaps))) < 45
    assert 15 < np.mean(sure) < 45
    assert abs(np.mean(gaps)) < 15


def test_a_win_that_moving_first_explains_is_worth_less() -> None:
    """The first mover gains less for a win, and loses more for a loss, than the second mover."""
    equal = LiveRating(1500, 80)
    first, second = after_game(equal, equal, 1, advantage=100)
    assert 0 < first.elo - 1500 < after_game(equal, equal, 1)[0].elo - 1500
    assert second.elo - 1500 == pytest.approx(1500 - first.elo)
    assert after_game(equal, equal, 0, advantage=100)[1].elo > after_game(equal, equal, 0)[1].elo


@given(lives, lives, st.sampled_from([0.0, 0.5, 1.0]), st.floats(-300, 300))
def test_every_game_leaves_sane_numbers(
    first: LiveRating, second: LiveRating, score: float, advantage: float
) -> None:
    """Whatever meets whatever, numbers stay finite; a win never costs, a loss never pays."""
    after = after_game(first, second, score, advantage=advantage)
    for live in after:
        assert all(map(isfinite, (live.elo, live.deviation, live.volatility)))
        assert 0 < live.deviation <= MOST_DEVIATION
    if score == 1:
        assert after[0].elo >= first.elo
        assert after[1].elo <= second.elo
