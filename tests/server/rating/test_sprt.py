"""Pair statistics: Elo with its error, likelihood of superiority, and the sequential test."""

from __future__ import annotations

from math import inf, isfinite, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from server.model.pair_counts import PairCounts
from server.rating.estimate import estimate
from server.rating.likelihood_ratio import log_likelihood_ratio
from server.rating.scale import elo_of_score, score_of_elo
from server.rating.sprt import Sprt

Floats = NDArray[np.float64]

counts = st.builds(lambda *cells: PairCounts(cells), *[st.integers(0, 500)] * 5)


def pair_chances(elo: float, opening: float = 150.0, draw: float = 0.15) -> Floats:
    """Return the chances of the five pair scores when the opening favours one seat or the other.

    An opening is worth ``opening`` Elo to the player with the better side of it, so the two
    games are correlated, as they are in Kalah.
    """
    total = np.zeros(5)
    ahead, behind = (_game(elo + edge, draw) for edge in (opening, -opening))
    for one, chance_of_one in enumerate(ahead):
        for two, chance_of_two in enumerate(behind):
            total[one + two] += chance_of_one * chance_of_two
    return total


def _game(elo: float, draw: float) -> tuple[float, float, float]:
    win = score_of_elo(elo) * (1 - draw)
    return 1 - draw - win, draw, win


def true_elo(chances: Floats) -> float:
    """Return the Elo that the mean pair score stands for."""
    return elo_of_score(float(chances @ np.arange(5)) / 4)


def run_tests(
    test: Sprt, chances: Floats, runs: int, chance: np.random.Generator
) -> tuple[float, float]:
    """Play ``runs`` sequential tests side by side; return the share of H1 and the mean pairs."""
    scores = score_of_elo(test.elo0), score_of_elo(test.elo1)
    counts, accepted, pairs = np.zeros((runs, 5)), 0, 0
    while len(counts):
        counts = counts + chance.multinomial(4, chances, size=len(counts))
        llr = log_likelihood_ratio(counts, *scores)
        over = (llr >= test.upper) | (llr <= test.lower)
        accepted += int((llr >= test.upper).sum())
        pairs += int(counts[over].sum())
        counts = counts[~over]
    return accepted / runs, pairs / runs


def test_pairs_are_counted_by_their_points() -> None:
    """Two wins, a win and a draw, a win and a loss, and so on each fall into their own cell."""
    pairs = [(1.0, 1.0), (1.0, 0.5), (0.5, 1.0), (1.0, 0.0), (0.5, 0.5), (0.0, 0.5), (0.0, 0.0)]
    assert PairCounts.of(pairs) == PairCounts((1, 1, 2, 2, 1))


def test_points_that_no_game_brings_are_refused() -> None:
    """A game brings a whole point, half a point or none."""
    with pytest.raises(ValueError, match="brings 0"):
        PairCounts.of([(1.0, 0.25)])


def test_a_negative_count_is_refused() -> None:
    """A number of pairs is not negative."""
    with pytest.raises(ValueError, match="negative"):
        PairCounts((1, 0, -1, 0, 0))


@given(counts, counts)
def test_matches_add_up(one: PairCounts, two: PairCounts) -> None:
    """Adding two matches adds their pairs and their points."""
    both = one + two
    assert both.pairs == one.pairs + two.pairs
    points = one.score * one.pairs + two.score * two.pairs
    assert both.score * both.pairs == pytest.approx(points)


def test_elo_is_that_of_the_score_played() -> None:
    """A score of 10/16 stands for 88.7 Elo, the textbook's logistic curve."""
    found = estimate(PairCounts((0, 1, 2, 5, 0)))
    assert found.score == 20 / 32
    assert found.elo == pytest.approx(400 * np.log10(10 / 6))


def test_error_comes_from_the_variance_of_pairs() -> None:
    """The interval is 1.96 standard errors of the pair mean, times the slope of the Elo curve."""
    found = estimate(PairCounts((10, 20, 40, 20, 10)))
    standard_error = np.sqrt(0.075 / 100)  # variance of {0, ¼, ½, ¾, 1} with these shares
    assert found.elo_error == pytest.approx(1.959964 * standard_error * 400 / log(10) / 0.25)
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
def test_intervals_cover_the_truth(elo: float, chance: np.random.Generator) -> None:
    """In 95 of 100 matches the interval holds the true difference, logistic and normalised."""
    chances = pair_chances(elo)
    truth = true_elo(chances)
    x = np.arange(5) / 4
    mean = chances @ x
    true_nelo = (mean - 0.5) / np.sqrt(2 * chances @ (x - mean) ** 2) * 800 / log(10)
    found = [
        estimate(PairCounts(tuple(map(int, cells))))  # type: ignore[arg-type]  # five cells
        for cells in chance.multinomial(300, chances, size=4000)
    ]
    logistic = np.mean([abs(match.elo - truth) <= match.elo_error for match in found])
    normalised = np.mean([abs(match.nelo - true_nelo) <= match.nelo_error for match in found])
    assert 0.93 <= logistic <= 0.97
    assert 0.93 <= normalised <= 0.97


def test_the_ratio_is_that_of_the_best_fitting_distributions(chance: np.random.Generator) -> None:
    """No distribution with the hypothesis's mean fits the counts better than the one used."""
    observed = np.array([5.0, 20, 40, 25, 10])
    share, x = observed / observed.sum(), np.arange(5) / 4
    # Against the unconstrained fit the ratio is the log-likelihood lost by the constraint.
    lost = float(log_likelihood_ratio(observed, 0.45, float(share @ x)))
    rivals = chance.dirichlet(observed, size=20_000)
    shift = (0.45 - rivals @ x) / (share @ (x - share @ x) ** 2)
    rivals = rivals + shift[:, None] * share * (x - share @ x)
    rivals = rivals[(rivals > 0).all(1)]
    assert len(rivals) > 1000
    assert np.allclose(rivals @ x, 0.45)
    losses = (observed * (np.log(share) - np.log(rivals))).sum(1)
    assert lost <= losses.min() + 1e-9
    assert losses.min() < lost + 0.05


@given(counts.filter(lambda pairs: pairs.pairs > 0), st.floats(-50, 50), st.floats(0.5, 50))
def test_the_test_is_an_antisymmetric_comparison(
    pairs: PairCounts, elo: float, width: float
) -> None:
    """Swapping the hypotheses changes the sign of the ratio."""
    one, two = score_of_elo(elo), score_of_elo(elo + width)
    there = float(log_likelihood_ratio(pairs.counts, one, two))
    back = float(log_likelihood_ratio(pairs.counts, two, one))
    assert isfinite(there)
    assert there == pytest.approx(-back, abs=1e-9)


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


@pytest.mark.parametrize("opening", [0.0, 250.0])
def test_error_rates_are_the_stated_ones(opening: float, chance: np.random.Generator) -> None:
    """Under either hypothesis the wrong one is accepted in at most 5 % of tests."""
    runs = 1500
    weak, strong = (pair_chances(elo, opening) for elo in (0, 60))
    test = Sprt(true_elo(weak), true_elo(strong))
    wrongly_stronger, _ = run_tests(test, weak, runs, chance)
    rightly_stronger, _ = run_tests(test, strong, runs, chance)
    tolerance = 2 * np.sqrt(0.05 * 0.95 / runs)
    assert wrongly_stronger <= 0.05 + tolerance
    assert 1 - rightly_stronger <= 0.05 + tolerance


def test_unequal_error_rates_are_kept(chance: np.random.Generator) -> None:
    """One error may be dearer than the other: 2 % and 20 %."""
    runs = 1000
    weak, strong = (pair_chances(elo) for elo in (0, 60))
    test = Sprt(true_elo(weak), true_elo(strong), alpha=0.02, beta=0.2)
    wrongly_stronger, _ = run_tests(test, weak, runs, chance)
    rightly_stronger, _ = run_tests(test, strong, runs, chance)
    assert wrongly_stronger <= 0.02 + 2 * np.sqrt(0.02 * 0.98 / runs)
    assert 1 - rightly_stronger <= 0.2 + 2 * np.sqrt(0.2 * 0.8 / runs)


def test_pairs_end_the_test_sooner_than_games_would(chance: np.random.Generator) -> None:
    """Where openings decide games, the same error rates take fewer pairs than independent games.

    The rival counts the same games as if they were independent: the pair scores that two
    independent games with the same chances would have.
    """
    paired = pair_chances(60, opening=250)
    win, draw = _mean_game(60, opening=250)
    single = np.array([1 - win - draw, draw, win])
    independent = np.convolve(single, single)
    test = Sprt(0, true_elo(paired))
    _, pairs_when_paired = run_tests(test, paired, 400, chance)
    _, pairs_when_single = run_tests(test, independent, 400, chance)
    assert pairs_when_paired < 0.9 * pairs_when_single


def _mean_game(elo: float, opening: float, draw: float = 0.15) -> tuple[float, float]:
    wins = [_game(elo + edge, draw)[2] for edge in (opening, -opening)]
    return sum(wins) / 2, draw
