"""The estimate after a sequential test has stopped a match."""

from typing import NamedTuple

import numpy as np
import pytest

from mancala.server.model.pair_counts import PairCounts
from mancala.server.rating.estimate import estimate
from mancala.server.rating.likelihood_ratio import log_likelihood_ratio
from mancala.server.rating.scale import score_of_elo
from mancala.server.rating.sprt import EloModel, Sprt
from mancala.server.rating.stopped import hit_chance, stopped_estimate
from tests.server.rating.pair_chances import pair_chances

MOST_PAIRS = 700


class StoppedMatches(NamedTuple):
    """Simulated matches: Elo as scored, Elo corrected, and whether its interval holds the truth."""

    scored: list[float]
    corrected: list[float]
    covered: list[bool]


def stopped_matches(
    elo: float, test: Sprt, matches: int, rng: np.random.Generator
) -> StoppedMatches:
    """Return simulated matches of a player that scores as one ``elo`` stronger."""
    cells, found = tilted(elo), StoppedMatches([], [], [])
    scores = score_of_elo(test.elo0), score_of_elo(test.elo1)
    for _ in range(matches):
        course = np.eye(5)[rng.choice(5, MOST_PAIRS, p=cells)].cumsum(0)
        ratios = log_likelihood_ratio(course, *scores)
        end = int(np.argmax((ratios >= test.upper) | (ratios <= test.lower)))
        a, b, c, d, e = map(int, course[end])
        counts = PairCounts((a, b, c, d, e))
        told = stopped_estimate(counts, test)
        if told is not None:
            found.scored.append(estimate(counts).elo)
            found.corrected.append(told.elo)
            found.covered.append(abs(told.elo - elo) <= told.elo_error)
    return found


def tilted(elo: float) -> np.typing.NDArray[np.float64]:
    """Return chances of pair scores, openings unequal, whose mean is that of ``elo``."""
    level, scores = pair_chances(0), np.arange(5) / 4
    low, high = -50.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        cells = level * np.exp(middle * scores)
        cells /= cells.sum()
        low, high = (middle, high) if cells @ scores < score_of_elo(elo) else (low, middle)
    return np.asarray(cells, float)


def test_the_median_is_the_truth(rng: np.random.Generator) -> None:
    """Of a player 40 Elo stronger a test says 48 in the middle as scored, and 40 corrected."""
    found = stopped_matches(40, Sprt(0, 40), 250, rng)
    assert np.median(found.corrected) == pytest.approx(40, abs=6)
    assert np.median(found.scored) > np.median(found.corrected) + 3
    assert 0.91 <= np.mean(found.covered) <= 0.98


def test_both_sides_are_treated_alike() -> None:
    """The estimate of the worse player is that of the better one with the sign turned."""
    test, mirrored = Sprt(-30, 30), PairCounts((40, 70, 150, 100, 80))
    one, other = (
        stopped_estimate(counts, test) for counts in (mirrored, mirrored.seen_from_the_other())
    )
    assert one is not None
    assert other is not None
    assert (one.elo, one.elo_error) == pytest.approx((-other.elo, other.elo_error))
    assert one.los == pytest.approx(1 - other.los)
    assert 0 < one.elo < estimate(mirrored).elo


def test_a_test_that_goes_on_changes_nothing() -> None:
    """There is no correction before the verdict."""
    assert stopped_estimate(PairCounts((1, 2, 3, 2, 1)), Sprt(0, 20)) is None


@pytest.mark.parametrize("model", list(EloModel))
def test_a_rout_stays_a_rout(model: EloModel) -> None:
    """Twenty won pairs of twenty are hundreds of Elo, whatever the test asked."""
    told = stopped_estimate(PairCounts((0, 0, 0, 0, 20)), Sprt(0, 100, model=model))
    assert told is not None
    assert told.elo > 400
    assert told.los > 0.99


def test_the_chance_to_hit_a_bound_is_that_of_simulated_walks(rng: np.random.Generator) -> None:
    """Fine steps come close to the motion; without a far bound in reach it is a known formula."""
    near, far, drift, time, step = 3.0, 4.0, 0.2, 12.0, 0.02
    walks = rng.normal(drift * step, step**0.5, (4000, int(time / step))).cumsum(1)
    above, below = walks >= near, walks <= -far
    first = [np.where(hit.any(1), hit.argmax(1), walks.shape[1]) for hit in (above, below)]
    assert hit_chance(near, far, drift, time) == pytest.approx(
        (first[0] < first[1]).mean(), abs=0.035
    )
    assert hit_chance(1.0, 1e6, 0.0, 1.0) == pytest.approx(0.3173, abs=1e-4)
    assert hit_chance(5.0, 5.0, 0.0, 1e6) == pytest.approx(0.5)
