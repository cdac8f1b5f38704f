"""The variance of what the equations of ``equations.py`` add up, with pairs counted as pairs.

The games of a side-swapped pair share an opening. Where it decides both, they go opposite ways, and
the pair's points vary less than those of two independent games. The unit is therefore the pair, as
in ``estimate.py``, and a game by itself only where it is in no pair. The variance of a pair's
points is taken from three places:

*a curve over the differences of rating*: openings that favour one seat by ``c`` have the expected
scores ``p₊`` and ``p₋`` of equation (1) in ``expected_score.py``, with the same sum, and points
with the variance ``v(p₊) + v(p₋)``, where ``v(p) = p (1 - p) - draw(p) / 4``;

*all pairs together*, which choose ``c`` so that the curve explains the squared residuals, and the
weight of draws;

*each player's own pairs*, since openings may decide between strong players and not between weak
ones: the curve is multiplied by the ratio of the player's squared residuals to it, drawn to 1 as
if ``_OWN_PAIRS`` further pairs of level players had agreed with it.

Residuals are smaller than errors, because the ratings were fitted to them; the sum is enlarged by
the pairs to the pairs less the fitted ratings, as with any regression.
"""

from typing import Final, NamedTuple

import numpy as np

from .equations import Curvature, FitProblem, Floats, blocks, leverages, spread
from .expected_score import SeatScores, draw_chances, seat_scores
from .scale import rising_root

_GROUPS: Final = 256
_DELTA: Final = 14.0
_DELTA_DEVIATION: Final = 3.0  # of ln D: between 1/400 and 400, hardly a draw to hardly a win
_MOST_SPREAD: Final = 10.0
_LEVEL_PAIR: Final = 0.5  # variance of the points of two independent games of level players
_FURTHER_PAIRS: Final = 1.0  # level and independent, so that pairs all alike leave some variance
_OWN_PAIRS: Final = 20.0
_POINTS: Final = np.arange(5)[:, None] / 2


class Noise(NamedTuple):
    """How the points of games and pairs vary.

    Attributes:
        draw_weight: ``D`` of single games; equals draw with the chance ``D / (D + 2)``.
        opening_spread: ``c``, by how much an opening favours a seat, on the natural scale.
        pair_draw_weight: ``D`` in pairs, given ``c``.
        ratio: squared residuals of all pairs to the curve's; 1 where ``c`` explains them.
    """

    draw_weight: float
    opening_spread: float
    pair_draw_weight: float
    ratio: float


class _Groups(NamedTuple):
    """Pairs of players with nearly the same difference of rating, together; shape (groups,)."""

    gap: Floats
    games: Floats  # shape (2, groups): in both seats
    pairs: Floats


def measured(problem: FitProblem, point: Floats) -> tuple[Noise, Curvature]:
    """Return how results vary, and the covariance of the equations' left sides at the solution."""
    noise, ratios = _noise(problem, point)
    return noise, _covariance(problem, point, noise, ratios)


def _noise(problem: FitProblem, point: Floats) -> tuple[Noise, Floats]:
    groups, draws = _grouped(problem, point), float(problem.outcomes[:, 1].sum())
    players, pairs = point.size - 1, float(groups.pairs.sum())
    draw_weight = _draw_weight(seat_scores(groups.gap, point[-1]), groups.games, draws)
    if not pairs:
        return Noise(draw_weight, abs(float(point[-1])), draw_weight, 1.0), np.ones(players)
    both_seats = np.stack([groups.games.sum(0) / 2] * 2)

    def curve(spread_: float) -> tuple[float, Floats]:
        scores = seat_scores(groups.gap, spread_)
        weight = _draw_weight(scores, both_seats, draws)
        return weight, _pair_variance(scores, weight)

    squares = _squares(problem, point) * (pairs / max(pairs - (players - 1), pairs / 2))
    independent = float(groups.pairs @ curve(abs(float(point[-1])))[1])
    prior = _FURTHER_PAIRS * _LEVEL_PAIR
    target = independent * (float(squares.sum()) + prior) / (independent + prior)
    opening_spread = rising_root(
        lambda c: target - float(groups.pairs @ curve(c)[1]), 0.0, _MOST_SPREAD
    )
    weight, variance = curve(opening_spread)
    noise = Noise(draw_weight, opening_spread, weight, target / float(groups.pairs @ variance))
    return noise, _own_ratios(problem, point, noise, squares)


def _grouped(problem: FitProblem, point: Floats) -> _Groups:
    gap = point[problem.low] - point[problem.high]
    order = np.argsort(gap, kind="stable")
    group = np.empty(gap.size, np.int64)
    count = min(gap.size, _GROUPS)
    group[order] = np.arange(gap.size) * count // max(gap.size, 1)
    games = problem.outcomes.sum(1)
    return _Groups(
        gap=spread(group, gap, count) / np.maximum(np.bincount(group, minlength=count), 1),
        games=np.stack([spread(group, row.astype(float), count) for row in games]),
        pairs=spread(group, problem.pair_scores.sum(0).astype(float), count),
    )


def _draw_weight(scores: SeatScores, games: Floats, draws: float) -> float:
    """Return ``D`` at which as many draws are expected as were observed."""
    both = np.stack((scores.first, scores.second))

    def excess(delta: float) -> float:
        expected = float((games * draw_chances(both, float(np.exp(delta)))).sum())
        return expected - draws + delta / _DELTA_DEVIATION**2

    return float(np.exp(rising_root(excess, -_DELTA, _DELTA)))


def _game_variance(score: Floats, draw_weight: float) -> Floats:
    return np.asarray(score * (1 - score) - draw_chances(score, draw_weight) / 4, float)


def _pair_variance(scores: SeatScores, draw_weight: float) -> Floats:
    return _game_variance(scores.first, draw_weight) + _game_variance(scores.second, draw_weight)


def _squares(problem: FitProblem, point: Floats) -> Floats:
    squares = np.empty(problem.low.size)
    for block in blocks(squares.size):
        gap = point[problem.low[block]] - point[problem.high[block]]
        expected = 2 / (1 + np.exp(-np.clip(gap, -40, 40)))
        counts = problem.pair_scores[:, block]
        squares[block] = (counts * (_POINTS - expected) ** 2).sum(0)
    return squares


def _own_ratios(problem: FitProblem, point: Floats, noise: Noise, squares: Floats) -> Floats:
    players = point.size - 1
    found, known = (np.full(players, _OWN_PAIRS * _LEVEL_PAIR) for _ in range(2))
    for block in blocks(squares.size):
        low, high = problem.low[block], problem.high[block]
        scores = seat_scores(point[low] - point[high], noise.opening_spread)
        variance = noise.ratio * _pair_variance(scores, noise.pair_draw_weight)
        expected = problem.pair_scores[:, block].sum(0) * variance
        for numbers in (low, high):
            found += spread(numbers, squares[block], players)
            known += spread(numbers, expected, players)
    return np.asarray(found / known, float)


def _covariance(problem: FitProblem, point: Floats, noise: Noise, ratios: Floats) -> Curvature:
    players = point.size - 1
    diagonal, border = problem.precision.copy(), np.zeros(players)
    weights = np.empty(problem.low.size)
    for block in blocks(weights.size):
        low, high = problem.low[block], problem.high[block]
        gap = point[low] - point[high]
        scores = seat_scores(gap, point[-1])
        game = np.stack(
            [_game_variance(score, noise.draw_weight) for score in (scores.first, scores.second)]
        )
        pairs = problem.pair_scores[:, block].sum(0)
        games = problem.outcomes[:, :, block].sum(1)
        singles, lever = np.maximum(games - pairs, 0), leverages(scores)
        uneven = seat_scores(gap, noise.opening_spread)
        own = noise.ratio * (ratios[low] + ratios[high]) / 2
        pair = own * _pair_variance(uneven, noise.pair_draw_weight)
        mixed = (games * lever * game).sum(0)
        weights[block] = (singles * game).sum(0) + pairs * pair
        # The residuals of a pair, one seat's less the other's, vary by what their sum does not.
        across = np.maximum(2 * game.sum(0) - pair, 0) * (lever**2).mean(0)
        diagonal[-1] += (singles * lever**2 * game).sum() + (pairs * across).sum()
        for sign, numbers in ((1.0, low), (-1.0, high)):
            border += sign * spread(numbers, mixed, players)
            diagonal[:-1] += spread(numbers, weights[block], players)
    return Curvature(weights, diagonal, border)
