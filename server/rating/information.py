"""What a rating rests on: the share of each opponent in the information about it.

A game says most about the difference of two ratings when they are level, and hardly anything when
its winner was known before. The measure is the weight that the game has in the joint fit: the slope
of the expected score along the difference. It does not depend on the outcome.
"""

from collections import defaultdict
from collections.abc import Iterable
from heapq import nlargest
from typing import NamedTuple

import numpy as np

from .expected_score import Floats, seat_scores
from .fit import Start
from .pair_table import PairColumns
from .scale import ELO_PER_NAT


class Share(NamedTuple):
    """One opponent's part in what is known about a player, 0..1; those of all opponents make 1."""

    opponent: str
    share: float


def rests_on(
    columns: PairColumns, at: Start, players: Iterable[str], *, most: int
) -> dict[str, tuple[Share, ...]]:
    """Return the opponents that say most about each player's rating, the greatest share first."""
    names, low, high = columns.names, columns.low.tolist(), columns.high.tolist()
    known: dict[str, dict[str, float]] = defaultdict(dict)
    for one, two, value in zip(low, high, _pair_information(columns, at).tolist(), strict=True):
        known[names[one]][names[two]] = known[names[two]][names[one]] = value
    return {player: _shares(known.get(player, {}), most) for player in players}


def _pair_information(columns: PairColumns, at: Start) -> Floats:
    """Return the information of each pair's games, shape (pairs,), in Nat⁻²."""
    pairs = zip(columns.low.tolist(), columns.high.tolist(), strict=True)
    elos = [(at.elo[columns.names[low]], at.elo[columns.names[high]]) for low, high in pairs]
    gap = np.array([one - two for one, two in elos], float) / ELO_PER_NAT
    scores = seat_scores(gap, at.advantage / ELO_PER_NAT)
    first, second = columns.outcomes.sum(axis=1)
    return np.asarray(first * scores.first_slope + second * scores.second_slope, float)


def _shares(known: dict[str, float], most: int) -> tuple[Share, ...]:
    total = sum(known.values())
    if total <= 0:
        return ()
    best = nlargest(most, sorted(known), key=known.__getitem__)
    return tuple(Share(name, known[name] / total) for name in best)
