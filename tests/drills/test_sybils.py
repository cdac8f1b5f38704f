"""What guests can bring at most in the drill of losing on purpose, by calculation."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations, cycle, islice, product
from random import Random
from typing import Final

import pytest

from mancala.server.model.game import Seats, Tally
from mancala.server.model.pair_counts import PairCounts
from mancala.server.rating.fit import fit
from mancala.server.rating.ratings import Ratings
from tests.drills.sybils import (
    ANCHORED,
    HONEST,
    LEAST_ERROR,
    MOST_ELO,
    NO_ANCHORS,
    SHORT,
    WIDER,
    Anchors,
)

GUESTS: Final = tuple(f"sybil-{number}" for number in range(SHORT.sybils))
LOST: Final = SHORT.lost + max(len(HONEST), len(GUESTS) // 2)
"""Each bot may begin one more match after the least number; of guests with each other, each two."""
WON, EVEN, LOSS = 4, 2, 0
"""A match of two games, in half points of the bot named first."""
Match = tuple[str, str, int]
EVEN_MATCHES: Final = tuple((*pair, EVEN) for pair in combinations(HONEST, 2)) * SHORT.matches


def fitted(matches: Iterable[Match], anchors: Anchors) -> Ratings:
    tallies: dict[Seats, Tally] = {}
    pairs: dict[Seats, PairCounts] = {}
    for (one, two, points), number in Counter((*EVEN_MATCHES, *matches)).items():
        won, half, lost = (number * (points == kind) for kind in (WON, EVEN, LOSS))
        there, back = (tallies.get(seats, Tally()) for seats in ((one, two), (two, one)))
        tallies[one, two] = Tally(there.wins + won + half, 0, there.losses + lost)
        tallies[two, one] = Tally(back.wins + lost + half, 0, back.losses + won)
        counts = PairCounts((lost, 0, half, 0, won))
        pairs[one, two] = pairs.get((one, two), PairCounts()) + counts
    return fit(tallies, pairs=pairs, anchors=anchors)


@pytest.mark.parametrize("winners", [HONEST[1:2], HONEST[1:3], HONEST[1:], HONEST])
@pytest.mark.parametrize("losers", [1, 3, len(GUESTS)])
def test_no_distribution_of_lost_matches_lifts_a_rating_far(
    winners: tuple[str, ...], losers: int
) -> None:
    """Beside an anchor: all matches go to one honest bot or several, from one guest or several."""
    pairings = islice(cycle(product(winners, GUESTS[:losers])), LOST)
    before, after = fitted((), ANCHORED), fitted([(*pair, WON) for pair in pairings], ANCHORED)
    assert max(abs(after[name].elo - before[name].elo) for name in HONEST) < MOST_ELO / 2


@pytest.mark.parametrize("couples", [1, 2, 5, 45])
@pytest.mark.parametrize("points", [(WON,), (EVEN,), (WON, LOSS), ()])
def test_no_results_among_guests_widen_an_interval_far(
    couples: int, points: tuple[int, ...]
) -> None:
    """Without an anchor: guests may draw, win or lose by turns, or at random."""
    rng = Random(1)
    drawn = (rng.choice((WON, EVEN, LOSS)) for _ in range(LOST))
    results = islice(cycle(points), LOST) if points else drawn
    pairings = cycle(islice(combinations(GUESTS, 2), couples))
    matches = [(*pair, result) for pair, result in zip(pairings, results, strict=False)]
    before, after = fitted((), NO_ANCHORS), fitted(matches, NO_ANCHORS)
    for name in HONEST:
        assert after[name].error <= WIDER * max(before[name].error, LEAST_ERROR)
        assert after[name].elo == pytest.approx(before[name].elo, abs=0.01)
