"""The expected score of a game, given the ratings, the seat and the rate of draws.

A rating difference is *defined* by the expected score ``s`` of both seats together: its odds
``s / (1 - s)`` are ``exp(r)`` on the natural scale. Two things lie between that and one game.

*Seats.* With the advantage ``a`` of moving first, a player of latent odds ``x`` scores
``x eᵃ / (1 + x eᵃ)`` moving first and ``x e⁻ᵃ / (1 + x e⁻ᵃ)`` moving second. The mean's odds are

    exp(r) = x (x + A) / (1 + A x)        with A = cosh a,                                      (1)

so seats that decide much press the scores, and ratings measured by scores, towards ½.

*Draws.* In Davidson's model (JASA 65, 1970) the weights of win, draw and loss are ``x``, ``D`` and
``1/x``. The odds of the expected score are again (1), with ``A = D/2``.

Equation (1) is quadratic in ``x``: ``x² - A (G - 1) x - G = 0`` with ``G = exp(r)``. So a model of
the seats, or of the draws, goes through any expected score, and the scale stays the same whatever
they are worth.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_FARTHEST: Final = 40.0
"""Greatest difference on the natural scale (7,000 Elo) at which an expected score is computed."""


def latent_odds(gap: Floats, flatness: Floats | float) -> Floats:
    """Return ``x`` of equation (1) for differences ``r`` on the natural scale.

    ``flatness`` is ``A``, at least 0; 0 gives ``exp(gap / 2)`` and 1 ``exp(gap)``.
    """
    size = np.minimum(np.abs(gap), _FARTHEST)
    odds = np.exp(size)
    linear = flatness * (odds - 1)
    root = (linear + np.sqrt(linear**2 + 4 * odds)) / 2  # for r >= 0, where nothing cancels
    return np.asarray(np.where(gap < 0, 1 / root, root), float)


class SeatScores(NamedTuple):
    """The expected scores of the player named first, in both seats, and their derivatives.

    A ``slope`` is along the difference of ratings; each has the shape of the differences.
    """

    first: Floats
    second: Floats
    first_slope: Floats
    second_slope: Floats
    first_by_advantage: Floats
    second_by_advantage: Floats


def seat_scores(gap: Floats, advantage: Floats | float) -> SeatScores:
    """Return the expected scores for differences of rating, on the natural scale.

    ``advantage`` is what moving first is worth on that scale, in all games or in each.
    """
    flatness, lift = np.cosh(advantage), np.exp(advantage)
    odds = latent_odds(gap, flatness)
    first, second = odds * lift / (1 + odds * lift), odds / (odds + lift)
    above, below = odds + flatness, 1 + flatness * odds
    # ln x along r, and along a at the same r, from the differential of (1)
    by_gap = 1 / (1 + odds / above - flatness * odds / below)
    by_advantage = by_gap * np.sinh(advantage) * (odds / below - 1 / above)
    steep_first = odds * lift / (1 + odds * lift) ** 2
    steep_second = odds * lift / (odds + lift) ** 2
    return SeatScores(
        first,
        second,
        steep_first * by_gap,
        steep_second * by_gap,
        steep_first * (by_advantage + 1),
        steep_second * (by_advantage - 1),
    )


def draw_chances(score: Floats, draw_weight: float) -> Floats:
    """Return the chance of a draw, with ``D``, at expected scores strictly between 0 and 1."""
    odds = latent_odds(np.log(score / (1 - score)), draw_weight / 2)
    return np.asarray(draw_weight / (odds + draw_weight + 1 / odds), float)
