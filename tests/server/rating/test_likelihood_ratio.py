"""The log-likelihood ratio of two hypotheses on pairs of games."""

from math import isfinite, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mancala.server.model.pair_counts import PairCounts
from mancala.server.rating.likelihood_ratio import (
    log_likelihood_ratio,
    normalized_log_likelihood_ratio,
)
from mancala.server.rating.scale import score_of_elo

Floats = NDArray[np.float64]

counts = st.builds(lambda *cells: PairCounts(cells), *[st.integers(0, 500)] * 5)


def test_the_ratio_is_that_of_the_best_fitting_distributions(rng: np.random.Generator) -> None:
    """No distribution with the hypothesis's mean fits the counts better than the one used."""
    observed = np.array([5.0, 20, 40, 25, 10])
    share, x = observed / observed.sum(), np.arange(5) / 4
    # Against the unconstrained fit the ratio is the log-likelihood lost by the constraint.
    lost = float(log_likelihood_ratio(observed, 0.45, float(share @ x)))
    rivals = rng.dirichlet(observed, size=20_000)
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


def test_normalized_hypotheses_are_met_by_the_distributions_they_name(
    rng: np.random.Generator,
) -> None:
    """The ratio is greatest for the lead that was observed, and 0 between equal hypotheses."""
    for _ in range(5):
        cells = rng.integers(20, 60, 5).astype(float)
        share, scores = cells / cells.sum(), np.arange(5) / 4
        mean = share @ scores
        lead = float((mean - 0.5) / sqrt(share @ (scores - mean) ** 2))
        assert float(normalized_log_likelihood_ratio(cells, lead, lead)) == 0
        for other in (lead - 0.1, lead + 0.1):
            assert float(normalized_log_likelihood_ratio(cells, other, lead)) > 0
        nearby = float(normalized_log_likelihood_ratio(cells, 0.0, 0.02))
        expected = cells.sum() * 0.02 * (lead - 0.01)  # to the first order, as with a t-test
        assert nearby == pytest.approx(expected, rel=0.15, abs=0.05)


def test_pairs_all_alike_have_a_normalized_ratio() -> None:
    """Scores without spread end the search for the distribution, not the match."""
    for cells in ((0, 0, 40, 0, 0), (0, 0, 0, 0, 40), (40, 0, 0, 0, 0), (0, 0, 0, 0, 0)):
        assert isfinite(float(normalized_log_likelihood_ratio(cells, 0.0, 0.2)))
