"""One Elo: a match, an event, a ladder and an independent fit of the same games agree."""

from itertools import combinations

import numpy as np
import pytest

from mancala.server.ladders.fitting import fit_ratings
from mancala.server.ladders.state import CountedGame, LadderState
from mancala.server.model.game import RatedGame, tally
from mancala.server.model.pair_counts import paired
from mancala.server.rating.estimate import estimate
from mancala.server.rating.expected_score import draw_chances, seat_scores
from mancala.server.rating.fit import Model, fit
from mancala.server.rating.ratings import Ratings
from mancala.server.rating.scale import ELO_PER_NAT, elo_of_score, score_of_elo


def played(
    elo: dict[str, float], pairs: int, rng: np.random.Generator, draw_weight: float = 0.9
) -> dict[int, RatedGame]:
    games: dict[int, RatedGame] = {}
    for one, two in combinations(elo, 2):
        for pair in range(pairs):
            gap = np.array([elo[one] - elo[two]]) / ELO_PER_NAT
            scores = seat_scores(gap, float(rng.normal(40, 250)) / ELO_PER_NAT)
            there = outcome(float(scores.first[0]), draw_weight, rng)
            back = outcome(1 - float(scores.second[0]), draw_weight, rng)
            games[len(games)] = RatedGame(one, two, there, opening=f"{one}{two}{pair}")
            games[len(games)] = RatedGame(two, one, back, opening=f"{one}{two}{pair}")
    return games


def outcome(score: float, draw_weight: float, rng: np.random.Generator) -> int | None:
    """Draw the winner's seat, or None, at an expected score of the first mover."""
    draw = float(draw_chances(np.array([score]), draw_weight)[0])
    return [0, None, 1][rng.choice(3, p=[score - draw / 2, draw, 1 - score - draw / 2])]


def ordo(games: dict[int, RatedGame]) -> dict[str, float]:
    """Return ratings at which each player's expected score is its score, by plain iteration."""
    names = sorted({name for game in games.values() for name in game.players})
    points = dict.fromkeys(names, 0.0)
    meetings = [game.players for game in games.values()]
    for game in games.values():
        for seat, name in enumerate(game.players):
            points[name] += game.points(seat)
    elo = dict.fromkeys(names, 0.0)
    for _ in range(400):
        expected = dict.fromkeys(names, 0.0)
        for first, second in meetings:
            score = score_of_elo(elo[first] - elo[second])
            expected[first] += score
            expected[second] += 1 - score
        share = 2 * len(games) / len(names)
        elo = {name: elo[name] + 600 * (points[name] - expected[name]) / share for name in names}
    return elo


def ladder(games: dict[int, RatedGame]) -> Ratings:
    state = LadderState({})
    for number, game in games.items():
        state.count(CountedGame(game.players, game.winner))
        if number % 2:
            before = games[number - 1]
            state.count_pair(before.players, (before.points(0), game.points(1)))
    return fit_ratings(state.begin_fit())


def lead(ratings: Ratings) -> float:
    return ratings["a"].elo - ratings["b"].elo


def test_a_score_of_three_quarters_is_191_elo() -> None:
    """On the scale itself; half is none, and the inverse undoes it."""
    assert elo_of_score(0.75) == pytest.approx(190.85, abs=0.01)
    assert elo_of_score(0.5) == 0
    assert score_of_elo(elo_of_score(0.9)) == pytest.approx(0.9)


@pytest.mark.parametrize("draw_weight", [0.05, 0.5, 2.5])
def test_a_match_an_event_and_a_ladder_agree_for_any_rate_of_draws(
    draw_weight: float, rng: np.random.Generator
) -> None:
    """Elo of the same 60 games agrees within 1, its error and superiority nearly."""
    games = played({"a": 120.0, "b": 0.0}, 30, rng, draw_weight)
    match = estimate(paired(games)["a", "b"])
    event = fit(tally(games.values()), pairs=paired(games), model=Model(centre=0))
    assert lead(event) == pytest.approx(match.elo, abs=1)
    assert lead(ladder(games)) == pytest.approx(match.elo, abs=1)
    assert 2 * event["a"].error == pytest.approx(match.elo_error, rel=0.08)
    place = [rating.name for rating in event.players].index("a")
    assert event.los()[place, 1 - place] == pytest.approx(match.los, abs=0.03)


def test_an_event_a_ladder_and_an_ordo_like_fit_agree(rng: np.random.Generator) -> None:
    """Ratings of five players agree within 6 Elo, relative to their mean."""
    games = played({"a": 300.0, "b": 150.0, "c": 0.0, "d": -100.0, "e": -350.0}, 16, rng)
    event = fit(tally(games.values()), pairs=paired(games), model=Model(centre=0))
    of_ladder, independent = ladder(games), ordo(games)
    for name, elo in independent.items():
        assert event[name].elo == pytest.approx(elo, abs=6)
        assert of_ladder[name].elo - 1500 == pytest.approx(event[name].elo, abs=1e-3)
