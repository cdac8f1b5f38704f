"""A place on the scale of the levels."""

from random import Random
from statistics import fmean, stdev

import pytest

from mancala.protocol.levels import LEVEL_ELO
from mancala.server.contest.rate.placement import (
    FEWEST_PAIRS,
    LevelPair,
    Placement,
    best_opponents,
    is_placed,
    next_round,
    place_of,
)

ERROR = 25.0
REPETITIONS = 60
OPENING_WORTH = 0.3
"""What a random opening is worth at most to the player who moves first, as a share of a point."""


def pair_of(elo: float, level: int, rng: Random) -> LevelPair:
    """Play a pair by known probabilities: the opening helps each side once."""
    expected = 1 / (1 + 10 ** ((LEVEL_ELO[level - 1] - elo) / 400))
    room = min(OPENING_WORTH, expected, 1 - expected)
    worth = rng.uniform(-room, room)
    return LevelPair(level, _points(expected + worth, rng) + _points(expected - worth, rng))


def _points(expected: float, rng: Random) -> float:
    """Play a game: drawn one time in ten, where the expected score allows it."""
    drawn, chance = min(0.1, expected, 1 - expected), rng.random()
    return 1.0 if chance < expected - drawn / 2 else 0.5 if chance < expected + drawn / 2 else 0.0


def gauntlet(elo: float, rng: Random) -> list[LevelPair]:
    """Play a gauntlet of a player of known strength, until its error is the usual one."""
    pairs: list[LevelPair] = []
    while not is_placed(pairs, ERROR):
        pairs += [pair_of(elo, level, rng) for level in next_round(pairs)]
    return pairs


@pytest.mark.parametrize("elo", [-120.0, 250.0, 600.0, 1150.0])
def test_the_same_player_gets_the_same_place(elo: float) -> None:
    """Repeated, the Elo has a deviation far below 30, no great bias, and an honest error."""
    rng = Random(int(elo))
    places = [place_of(gauntlet(elo, rng)) for _ in range(REPETITIONS)]
    values = [place.elo for place in places]
    assert stdev(values) <= 18
    assert abs(fmean(values) - elo) <= 8
    assert fmean(_covers(place, elo) for place in places) >= 0.85


def test_a_gauntlet_ends_when_its_error_is_reached() -> None:
    """It takes as many games as the error needs, and never too few to know the error."""
    rng = Random(1)
    pairs = gauntlet(500.0, rng)
    assert place_of(pairs).elo_error <= ERROR
    assert not is_placed(pairs, ERROR / 2)
    assert not is_placed([LevelPair(5, 1.0)] * (FEWEST_PAIRS - 1), ERROR)
    assert is_placed([LevelPair(5, 1.0)] * FEWEST_PAIRS, ERROR)


def _covers(place: Placement, elo: float) -> bool:
    return abs(place.elo - elo) <= place.elo_error


def test_opponents_are_chosen_by_what_is_known() -> None:
    """The first round looks everywhere, the next ones near the player."""
    assert next_round([]) == [2, 4, 6, 8, 10]
    middle = [LevelPair(level, 1.0) for level in (4, 5, 6)]
    assert set(next_round(middle)) == {4, 5, 6}


def test_no_opponent_is_chosen_whose_games_tell_little() -> None:
    """Beyond the ends of the scale only the nearest levels are met."""
    assert best_opponents(-100.0) == (1, 2)
    assert best_opponents(LEVEL_ELO[-1] + 50.0) == (10, 9)
    assert best_opponents(LEVEL_ELO[-1] + 300.0) == (10,)


def test_a_place_stays_finite() -> None:
    """A player that wins or loses everything is beyond the scale, with an error that says so."""
    best, worst = place_of([LevelPair(10, 2.0)] * 20), place_of([LevelPair(1, 0.0)] * 20)
    assert LEVEL_ELO[-1] < best.elo < 3400
    assert -2000 < worst.elo < 0
    assert best.elo_error > 200


def test_without_games_the_place_is_the_middle() -> None:
    """Nothing is known, and the error says so."""
    place = place_of([])
    assert LEVEL_ELO[0] < place.elo < LEVEL_ELO[-1]
    assert place.elo_error > 1000
