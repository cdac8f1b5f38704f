"""Ratings and their errors on simulated games of players of known strength.

* ``coverage``: the share of 95 % intervals of the joint fit that hold the truth, where it knows
  which games were pairs and where it does not, in round robins of eight;
* ``ladders``: a ladder of sixteen, each round all play a pair of games against a random opponent.
  After N games a player: the root of the mean square error of the ratings, relative to their
  mean; the share of 95 % intervals that hold the truth; how often two players 50 Elo apart stand in
  their order; and the drift, the root of the mean square by which ratings moved since half the
  games, while no strength did;
* ``separated``: the fewest of these games a player at which that order is right in 97.5 % of the
  ladders;
* ``stopped``: matches that a sequential test ends: Elo as scored and corrected, median and
  coverage.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
import typer

from mancala.server.model.entrant import CENTRE
from mancala.server.model.pair_counts import PairCounts
from mancala.server.rating.estimate import estimate
from mancala.server.rating.likelihood_ratio import log_likelihood_ratio
from mancala.server.rating.scale import Z95, score_of_elo
from mancala.server.rating.sprt import Sprt
from mancala.server.rating.stopped import stopped_estimate

from ...console import output as console
from .. import simulated_games
from ..simulated_games import Floats, GameConditions, PlayedPairs

PLAYERS: Final = 16
APART: Final = 50.0
CHECKS: Final = (10, 20, 50, 100, 200, 500, 1000)
"""Games a player after which a ladder is looked at."""
MOST_PAIRS: Final = 1000
TRUTHS: Final = ((40.0, Sprt(0, 40)), (0.0, Sprt(0, 40)), (20.0, Sprt(0, 40)), (100.0, Sprt(0, 60)))
FIELDS: Final = (
    GameConditions(unequal=0, draw_weight=1e-9),
    GameConditions(unequal=0, draw_weight=1.15),
    GameConditions(unequal=250, draw_weight=0.37),
    GameConditions(unequal=250, draw_weight=2.0),
    GameConditions(unequal=500, draw_weight=2.85),
)


def joint_fit(
    events: Annotated[int, typer.Option(min=1, help="Round robins for each coverage.")] = 400,
    ladders: Annotated[int, typer.Option(min=1, help="Ladders.")] = 120,
    matches: Annotated[int, typer.Option(min=1, help="Matches for each sequential test.")] = 400,
    seed: Annotated[int, typer.Option(help="Which games.")] = 1,
) -> None:
    """Measure ratings and their errors, and those after a sequential test."""
    rng = np.random.default_rng(seed)
    found = ladder_figures(ladders, CHECKS, rng)
    console.emit(
        {
            "coverage": [coverage(conditions, events, 4, rng) for conditions in FIELDS],
            "ladders": {"joint fit": found},
            "separated": {"joint fit": separated(found)},
            "stopped": [stopped(elo, test, matches, rng) for elo, test in TRUTHS],
            "seed": seed,
        }
    )


def coverage(
    conditions: GameConditions, events: int, pairs: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Return how often intervals hold the truth, in round robins of eight."""
    hits: dict[bool, list[bool]] = {True: [], False: []}
    shares, widths = [], []
    for _ in range(events):
        elo = simulated_games.strengths(8, conditions, rng)
        seats = simulated_games.all_against_all(8, pairs)
        played = simulated_games.play(elo, *seats, conditions, rng)
        shares.append(simulated_games.drawn_share(played))
        errors = {}
        for as_pairs, held in hits.items():
            ratings = simulated_games.fitted(played, 8, as_pairs=as_pairs)
            errors[as_pairs] = np.mean([rating.error for rating in ratings.players])
            for player, truth in enumerate(elo):
                rating = ratings[str(player)]
                held.append(bool(abs(rating.elo - CENTRE - truth) <= rating.error))
        widths.append(errors[False] / errors[True])
    return {
        **conditions._asdict(),
        "drawn": round(float(np.mean(shares)), 3),
        "as_pairs": round(float(np.mean(hits[True])), 4),
        "as_single_games": round(float(np.mean(hits[False])), 4),
        "width_ratio": round(float(np.mean(widths)), 3),
    }


class _Look(NamedTuple):
    """A ladder's ratings at one moment: of each player, relative to their mean; and the truth."""

    truth: Floats
    elo: Floats
    deviation: Floats


def ladder_figures(
    ladders: int, checks: tuple[int, ...], rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Return the figures of the joint fit after numbers of games a player, all even."""
    looks: dict[int, list[_Look]] = defaultdict(list)
    wanted = sorted({*checks, *(check // 2 for check in checks)})
    for _ in range(ladders):
        conditions = GameConditions()
        elo = simulated_games.strengths(PLAYERS, conditions, rng)
        elo[1] = elo[0] - APART
        elo -= elo.mean()
        seats = simulated_games.rounds_of(PLAYERS, max(checks) // 2, rng)
        played = simulated_games.play(elo, *seats, conditions, rng)
        for games in wanted:
            end = games // 2 * (PLAYERS // 2)
            ratings = simulated_games.fitted(PlayedPairs(*(each[:end] for each in played)), PLAYERS)
            rated = [ratings[str(player)] for player in range(PLAYERS)]
            found = np.array([rating.elo for rating in rated]) - CENTRE
            looks[games].append(
                _Look(elo, found, np.array([rating.error for rating in rated]) / Z95)
            )
    return [_figures(check, looks[check], looks[check // 2]) for check in checks]


def _figures(games: int, now: list[_Look], half: list[_Look]) -> dict[str, Any]:
    errors = np.array([look.elo - look.truth for look in now])
    moved = np.array([look.elo - before.elo for look, before in zip(now, half, strict=True)])
    held = np.abs(errors) <= Z95 * np.array([look.deviation for look in now])
    return {
        "games": games,
        "error": round(float(np.sqrt((errors**2).mean())), 1),
        "covered": round(float(held.mean()), 3),
        "in_order": round(float(np.mean([look.elo[0] > look.elo[1] for look in now])), 3),
        "drift": round(float(np.sqrt((moved**2).mean())), 1),
    }


def separated(rows: Iterable[Mapping[str, Any]]) -> int | None:
    """Return the fewest games a player at which two players are in their order nearly always."""
    return next((row["games"] for row in rows if row["in_order"] >= 0.975), None)


def stopped(elo: float, test: Sprt, matches: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return what is said of a player ``elo`` stronger after a sequential test."""
    scored, corrected, held = [], [], []
    scores = score_of_elo(test.elo0), score_of_elo(test.elo1)
    level = np.zeros(2)
    level[0] = elo
    ones = np.zeros(MOST_PAIRS, np.int64)
    for _ in range(matches):
        played = simulated_games.play(level, ones, ones + 1, GameConditions(unequal=150), rng)
        course = np.eye(5)[played.there + played.back].cumsum(0)
        ratios = log_likelihood_ratio(course, *scores)
        end = int(np.argmax((ratios >= test.upper) | (ratios <= test.lower)))
        a, b, c, d, e = map(int, course[end])
        counts = PairCounts((a, b, c, d, e))
        told = stopped_estimate(counts, test)
        if told is not None:
            scored.append(estimate(counts).elo)
            corrected.append(told.elo)
            held.append(abs(told.elo - elo) <= told.elo_error)
    return {
        "truth": elo,
        "bounds": [test.elo0, test.elo1],
        "as_scored": [round(float(np.mean(scored)), 1), round(float(np.median(scored)), 1)],
        "corrected": [round(float(np.mean(corrected)), 1), round(float(np.median(corrected)), 1)],
        "covered": round(float(np.mean(held)), 3),
    }
