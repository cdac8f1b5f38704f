"""The expected score of a game: one scale, whatever seats and draws are worth."""

import numpy as np
import pytest

from mancala.server.rating.expected_score import draw_chances, latent_odds, seat_scores

GAPS = np.linspace(-6, 6, 25)


@pytest.mark.parametrize("advantage", [-3.0, 0.0, 0.5, 4.0])
def test_both_seats_together_score_as_the_rating_says(advantage: float) -> None:
    """The mean of both seats is logistic in the difference, for any advantage."""
    scores = seat_scores(GAPS, advantage)
    assert np.allclose((scores.first + scores.second) / 2, 1 / (1 + np.exp(-GAPS)))
    assert np.allclose(scores.second, 1 - seat_scores(-GAPS, advantage).first)


def test_between_equals_the_advantage_is_the_lead_of_the_first_mover() -> None:
    """Equals score as if the one that moves first were stronger by the advantage."""
    assert seat_scores(np.zeros(1), 0.8).first[0] == pytest.approx(1 / (1 + np.exp(-0.8)))


@pytest.mark.parametrize("advantage", [-2.0, 0.0, 1.0])
def test_slopes_are_derivatives(advantage: float) -> None:
    """Those along the difference and those along the advantage equal finite differences."""
    h, scores = 1e-6, seat_scores(GAPS, advantage)
    by_gap = [seat_scores(GAPS + sign * h, advantage) for sign in (1, -1)]
    by_advantage = [seat_scores(GAPS, advantage + sign * h) for sign in (1, -1)]
    for (up, down), first, second in (
        (by_gap, scores.first_slope, scores.second_slope),
        (by_advantage, scores.first_by_advantage, scores.second_by_advantage),
    ):
        assert np.allclose((up.first - down.first) / 2 / h, first, atol=1e-8)
        assert np.allclose((up.second - down.second) / 2 / h, second, atol=1e-8)


def test_draws_leave_the_expected_score_as_it_is() -> None:
    """Davidson's chances at a score have that score; equals draw with the chance D / (D + 2)."""
    score = np.linspace(0.02, 0.98, 9)
    for weight in (0.01, 0.7, 20.0):
        odds = latent_odds(np.log(score / (1 - score)), weight / 2)
        total = odds + weight + 1 / odds
        assert np.allclose((odds + weight / 2) / total, score)
        assert np.allclose(draw_chances(score, weight), weight / total)
        assert draw_chances(np.array([0.5]), weight)[0] == pytest.approx(weight / (weight + 2))


def test_hopeless_differences_stay_finite() -> None:
    """A difference of a million Elo has scores and slopes like any other."""
    scores = seat_scores(np.array([-6e3, 6e3]), 3.0)
    assert np.isfinite(np.stack(scores)).all()
    assert (scores.first_slope > 0).all()
