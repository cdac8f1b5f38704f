"""Pair statistics: Elo with its error, likelihood of superiority."""

from math import isfinite, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mancala.server.model.game import Tally
from mancala.server.model.pair_counts import PairCounts
from mancala.server.rating.estimate import estimate, superiority
from mancala.server.rating.fit import fit
from mancala.server.rating.sprt import Sprt
from tests.server.rating.pair_chances import pair_chances, true_elo

Floats = NDArray[np.float64]

counts = st.builds(lambda *cells: PairCounts(cells), *[st.integers(0, 500)] * 5)


def test_elo_is_that_of_the_score_played() -> None:
    """A score of 0.6 stands for 70.4 Elo, the textbook's logistic curve, in many games."""
    found = estimate(PairCounts((0, 100, 400, 500, 0)))
    assert found.score == 0.6
    assert found.elo == pytest.approx(400 * np.log10(0.6 / 0.4), abs=0.1)


@pytest.mark.parametrize(
    "cells", [(0, 0, 0, 0, 3), (0, 0, 0, 0, 10), (0, 0, 2, 0, 8), (1, 0, 2, 2, 0), (0, 0, 9, 0, 0)]
)
def test_elo_is_that_of_the_joint_fit(cells: tuple[int, int, int, int, int]) -> None:
    """A match has the Elo of an event of the same games, a clean sweep too."""
    found, games = estimate(PairCounts(cells)), np.array(cells)
    ratings = fit(
        {
            ("a", "b"): Tally(int(games[2:].sum()), cells[1], cells[0]),
            ("b", "a"): Tally(int(games[:3].sum()), cells[3], cells[4]),
        },
        pairs={("a", "b"): PairCounts(cells)},
    )
    assert found.elo == pytest.approx(ratings["a"].elo - ratings["b"].elo, abs=1e-6)
    assert found.elo_error == pytest.approx(2 * ratings["a"].error, rel=0.5)


def test_error_comes_from_the_variance_of_pairs() -> None:
    """The interval is 1.96 standard errors of the pair mean, times the slope of the Elo curve."""
    found = estimate(PairCounts((100, 200, 400, 200, 100)))
    standard_error = np.sqrt(0.075 / 1000)  # variance of {0, ¼, ½, ¾, 1} with these shares
    expected = 1.959964 * standard_error * 400 / log(10) / 0.25
    assert found.elo_error == pytest.approx(expected, rel=0.003)
    assert found.los == pytest.approx(0.5)


def test_balanced_pairs_are_worth_more_than_single_games() -> None:
    """Pairs of a win and a loss say more than pairs won and pairs lost."""
    assert (
        estimate(PairCounts((1, 0, 98, 0, 1))).elo_error
        < estimate(PairCounts((50, 0, 0, 0, 50))).elo_error / 5
    )


@pytest.mark.parametrize("cell", range(5))
@pytest.mark.parametrize("pairs", [1, 3, 1000])
def test_pairs_all_alike_claim_nothing_infinite(cell: int, pairs: int) -> None:
    """All wins, all losses or all even pairs still give finite numbers with an honest error."""
    cells = [0] * 5
    cells[cell] = pairs
    found = estimate(PairCounts((cells[0], cells[1], cells[2], cells[3], cells[4])))
    assert all(map(isfinite, found))
    assert found.elo_error > 0
    assert found.score == cell / 4


def test_nothing_played_means_nothing_known() -> None:
    """Before the first pair the difference is 0, give or take hundreds."""
    found = estimate(PairCounts())
    assert (found.pairs, found.score, found.elo, found.los) == (0, 0.5, 0, 0.5)
    assert found.elo_error > 400


@given(counts)
def test_statistics_are_finite_and_mirror(pairs: PairCounts) -> None:
    """Seen from the other side all differences change sign, and nothing is infinite."""
    here = estimate(pairs)
    there = estimate(PairCounts(pairs.counts[::-1]))
    assert all(map(isfinite, here))
    assert here.elo == pytest.approx(-there.elo, abs=1e-6)
    assert here.nelo == pytest.approx(-there.nelo, abs=1e-6)
    assert here.los == pytest.approx(1 - there.los)
    test = Sprt(-5, 5)
    assert test.judge(pairs).llr == pytest.approx(
        -test.judge(PairCounts(pairs.counts[::-1])).llr, abs=1e-6
    )


@pytest.mark.parametrize("elo", [0.0, 60.0, 200.0])
def test_intervals_cover_the_truth(elo: float, rng: np.random.Generator) -> None:
    """In 95 of 100 matches the interval holds the true difference, logistic and normalised."""
    chances = pair_chances(elo)
    truth = true_elo(chances)
    x = np.arange(5) / 4
    mean = chances @ x
    true_nelo = (mean - 0.5) / np.sqrt(2 * chances @ (x - mean) ** 2) * 800 / log(10)
    found = [
        estimate(PairCounts(tuple(map(int, cells))))  # type: ignore[arg-type]  # five cells
        for cells in rng.multinomial(300, chances, size=2000)
    ]
    logistic = np.mean([abs(match.elo - truth) <= match.elo_error for match in found])
    normalised = np.mean([abs(match.nelo - true_nelo) <= match.nelo_error for match in found])
    assert 0.93 <= logistic <= 0.97
    assert 0.93 <= normalised <= 0.97


@pytest.mark.parametrize(
    ("cells", "expected"),
    [((0, 0, 0, 0, 6), 0.996), ((0, 0, 0, 0, 1), 0.785), ((0, 0, 30, 1, 0), 0.701)],
)
def test_few_pairs_leave_a_doubt(cells: tuple[int, int, int, int, int], expected: float) -> None:
    """Six won pairs of six are no certainty; the figures are those of drawn posteriors."""
    assert superiority(PairCounts(cells)) == pytest.approx(expected, abs=0.001)


def test_superiority_is_the_share_of_the_posterior_above_a_half(rng: np.random.Generator) -> None:
    """The integral gives what a hundred thousand draws of Dirichlet's distribution give."""
    for _ in range(5):
        cells = rng.integers(0, 9, 5)
        drawn = rng.dirichlet(cells + 0.5, 100_000) @ np.arange(5) / 4
        a, b, c, d, e = cells.tolist()
        assert superiority(PairCounts((a, b, c, d, e))) == pytest.approx(
            (drawn > 0.5).mean(), abs=0.008
        )


def test_superiority_of_many_pairs_is_the_normal_one() -> None:
    """The prior is not noticed in five thousand pairs; a thousand standard errors do no harm."""
    assert superiority(PairCounts((500, 1000, 3000, 1100, 550))) == pytest.approx(0.9941, abs=1e-4)
    assert superiority(PairCounts((0, 0, 0, 0, 100_000))) == 1.0
    assert superiority(PairCounts((100_000, 5, 0, 0, 0))) == 0.0
