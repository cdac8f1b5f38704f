"""Simulated games of players of known strength."""

import numpy as np
import pytest

from mancala.scripts.bench import simulated_games
from mancala.scripts.bench.simulated_games import GameConditions


@pytest.mark.parametrize("unequal", [0.0, 400.0])
def test_pairs_score_as_the_strengths_say(unequal: float, rng: np.random.Generator) -> None:
    """A lead of 191 Elo scores three quarters, whatever the openings; about 30 % are drawn."""
    one = np.zeros(20_000, np.int64)
    conditions = GameConditions(unequal=unequal)
    played = simulated_games.play(np.array([190.85, 0.0]), one, one + 1, conditions, rng)
    assert (played.there + played.back).mean() / 4 == pytest.approx(0.75, abs=0.01)
    assert 0.15 < simulated_games.drawn_share(played) < 0.45


def test_each_player_plays_once_a_round(rng: np.random.Generator) -> None:
    """A round pairs all; a round robin has every two players."""
    one, two = simulated_games.rounds_of(8, 3, rng)
    for begin in range(0, 12, 4):
        assert sorted([*one[begin : begin + 4], *two[begin : begin + 4]]) == list(range(8))
    assert len(simulated_games.all_against_all(5, 3)[0]) == 30
