"""The sequential test: bounds, verdicts, error rates."""

from math import inf, log, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from mancala.server.model.pair_counts import PairCounts
from mancala.server.rating.likelihood_ratio import (
    log_likelihood_ratio,
    normalized_log_likelihood_ratio,
)
from mancala.server.rating.scale import score_of_elo
from mancala.server.rating.sprt import EloModel, Sprt
from tests.server.rating.pair_chances import game_chances, pair_chances, true_elo

Floats = NDArray[np.float64]


def run_tests(
    test: Sprt, chances: Floats, runs: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Play ``runs`` sequential tests side by side; return the share of H1 and the mean pairs."""
    scores = score_of_elo(test.elo0), score_of_elo(test.elo1)
    counts, accepted, pairs = np.zeros((runs, 5)), 0, 0
    while len(counts):
        counts = counts + rng.multinomial(4, chances, size=len(counts))
        llr = log_likelihood_ratio(counts, *scores)
        over = (llr >= test.upper) | (llr <= test.lower)
        accepted += int((llr >= test.upper).sum())
        pairs += int(counts[over].sum())
        counts = counts[~over]
    return accepted / runs, pairs / runs


def test_bounds_are_walds() -> None:
    """At error rates of 5 % the test ends at ±2.94."""
    test = Sprt(0, 5)
    assert test.upper == pytest.approx(2.944, abs=1e-3)
    assert test.lower == pytest.approx(-2.944, abs=1e-3)


def test_verdicts() -> None:
    """Winning pairs bring H1, even pairs H0, and few pairs neither."""
    test = Sprt(0, 20)
    assert test.judge(PairCounts((0, 0, 0, 0, 0))) == (0, None)
    assert test.judge(PairCounts((0, 0, 3, 1, 0))).verdict is None
    assert test.judge(PairCounts((20, 60, 240, 120, 60))).verdict == "H1"
    assert test.judge(PairCounts((60, 120, 240, 60, 20))).verdict == "H0"


@pytest.mark.parametrize(
    ("elo0", "elo1", "alpha", "beta"),
    [
        (5, 0, 0.05, 0.05),
        (0, 0, 0.05, 0.05),
        (0, 5, 0, 0.05),
        (0, 5, 0.5, 0.5),
        (0, 5, 1, 0.05),
        (0, inf, 0.05, 0.05),
    ],
)
def test_bounds_that_make_no_test_are_refused(
    elo0: float, elo1: float, alpha: float, beta: float
) -> None:
    """H1 lies above H0, and error rates are small positive numbers."""
    with pytest.raises(ValueError, match=r"elo0|error rates|Elo"):
        Sprt(elo0, elo1, alpha, beta)


@pytest.mark.parametrize(
    ("opening", "alpha", "beta"), [(0.0, 0.05, 0.05), (250.0, 0.05, 0.05), (0.0, 0.02, 0.2)]
)
def test_error_rates_are_the_stated_ones(
    opening: float, alpha: float, beta: float, rng: np.random.Generator
) -> None:
    """Under either hypothesis the wrong one is accepted that often at most; one may be dearer."""
    runs = 1500
    weak, strong = (pair_chances(elo, opening) for elo in (0, 60))
    test = Sprt(true_elo(weak), true_elo(strong), alpha, beta)
    wrongly_stronger, _ = run_tests(test, weak, runs, rng)
    rightly_stronger, _ = run_tests(test, strong, runs, rng)
    assert wrongly_stronger <= alpha + 2 * np.sqrt(alpha * (1 - alpha) / runs)
    assert 1 - rightly_stronger <= beta + 2 * np.sqrt(beta * (1 - beta) / runs)


def test_pairs_end_the_test_sooner_than_games_would(rng: np.random.Generator) -> None:
    """Where openings decide games, the same error rates take fewer pairs than independent games.

    The rival counts the same games as if they were independent: the pair scores that two
    independent games with the same chances would have.
    """
    paired = pair_chances(60, opening=250)
    win, draw = _mean_game(60, opening=250)
    single = np.array([1 - win - draw, draw, win])
    independent = np.convolve(single, single)
    test = Sprt(0, true_elo(paired))
    _, pairs_when_paired = run_tests(test, paired, 400, rng)
    _, pairs_when_single = run_tests(test, independent, 400, rng)
    assert pairs_when_paired < 0.9 * pairs_when_single


def _mean_game(elo: float, opening: float, draw: float = 0.15) -> tuple[float, float]:
    wins = [game_chances(elo + edge, draw)[2] for edge in (opening, -opening)]
    return sum(wins) / 2, draw


def test_normalized_bounds_are_met_sooner_where_pairs_vary_less() -> None:
    """The same score proves more Elo of the normalised kind, the fewer pairs it hangs on."""
    steady, wild = PairCounts((0, 20, 60, 40, 0)), PairCounts((30, 0, 50, 0, 40))
    test = Sprt(0, 20, model=EloModel.NORMALIZED)
    assert test.judge(steady).llr > test.judge(wild).llr > 0


def test_normalized_error_rates_are_the_stated_ones(rng: np.random.Generator) -> None:
    """Of equal players about one test in twenty accepts H1."""
    test, cells, accepted = Sprt(0, 60, model=EloModel.NORMALIZED), pair_chances(0), 0
    lead = sqrt(2) * 60 * log(10) / 800
    for _ in range(80):
        course = np.eye(5)[rng.choice(5, 500, p=cells)].cumsum(0)
        ratios = normalized_log_likelihood_ratio(course, 0.0, lead)
        ends = np.flatnonzero((ratios >= test.upper) | (ratios <= test.lower))
        accepted += bool(ends.size and ratios[ends[0]] > 0)
    assert accepted <= 11
