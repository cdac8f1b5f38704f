"""The joint fit by dense matrices, a reference for the one that scales: same model, same peak."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from server.model.game import Tally
from server.rating.ratings import Model
from server.rating.sprt import ELO_PER_NAT, Z95

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_NO_ANCHORS: Final[Mapping[str, float]] = {}
_MOST_STEPS: Final = 100
_SETTLED: Final = 1e-12
_DELTA_DEVIATION: Final = 3.0  # D between 1/400 and 400: from hardly a draw to hardly a win


class DenseFit(NamedTuple):
    """Ratings, advantage and their half-widths in Elo, and the rate of draws."""

    elo: dict[str, float]
    error: dict[str, float]
    advantage: float
    advantage_error: float
    draw_weight: float


def dense_fit(
    tallies: Mapping[tuple[str, str], Tally],
    *,
    players: Iterable[str] = (),
    anchors: Mapping[str, float] = _NO_ANCHORS,
) -> DenseFit:
    """Fit all ratings, the first-move advantage and the rate of draws together."""
    names = sorted({*players, *anchors, *(name for seats in tallies for name in seats)})
    problem = _pose(names, tallies, anchors, Model())
    peak = _climb(problem)
    covariance = _covariance(problem, peak, floating=not anchors) * ELO_PER_NAT**2
    elo, errors = peak * ELO_PER_NAT, Z95 * np.sqrt(np.maximum(covariance.diagonal(), 0))
    return DenseFit(
        dict(zip(names, elo[:-2].tolist(), strict=True)),
        dict(zip(names, errors[:-2].tolist(), strict=True)),
        float(elo[-2]),
        float(errors[-2]),
        float(np.exp(peak[-1])),
    )


class _Problem(NamedTuple):
    """The likelihood and the prior, on the natural scale.

    The parameters are the players' ratings, then the advantage, then δ. Each row is one
    ``(first, second)`` and touches four of them, listed in ``columns``.
    """

    columns: Integers  # (rows, 4)
    outcomes: Floats  # (3, rows): wins, draws, losses of the first
    mean: Floats  # (parameters,): of the prior, and where the climb starts
    precision: Floats  # (parameters,): of the prior
    free: NDArray[np.bool_]  # (parameters,): False for an anchor


_SIGNS: Final = np.array([1.0, -1.0, 1.0, 0.0])  # how first, second, advantage and δ enter d


def _pose(
    names: list[str],
    tallies: Mapping[tuple[str, str], Tally],
    anchors: Mapping[str, float],
    model: Model,
) -> _Problem:
    index = {name: place for place, name in enumerate(names)}
    count = len(names)
    centre = sum(anchors.values()) / len(anchors) if anchors else model.centre
    elo = [anchors.get(name, centre) for name in names]
    rows = [(index[first], index[second], count, count + 1) for first, second in tallies]
    deviations = np.array([model.deviation] * count + [model.advantage_deviation]) / ELO_PER_NAT
    return _Problem(
        columns=np.array(rows, np.int64).reshape(-1, 4),
        outcomes=np.array(list(tallies.values()), float).reshape(-1, 3).T,
        mean=np.array([*elo, 0.0, 0.0]) / ELO_PER_NAT,
        precision=np.append(deviations, _DELTA_DEVIATION) ** -2.0,
        free=np.array([name not in anchors for name in names] + [True, True]),
    )


def _chances(gap: Floats, delta: float) -> Floats:
    """Return the chances of win, draw and loss, shape (3, rows)."""
    weights = np.stack([gap / 2, np.full_like(gap, delta), -gap / 2])
    weights = np.exp(weights - weights.max(0))
    return np.asarray(weights / weights.sum(0), float)


def _climb(problem: _Problem) -> Floats:
    point, height = problem.mean, _height(problem, problem.mean)
    for _ in range(_MOST_STEPS):
        gradient, curvature = _slopes(problem, point)
        step = np.zeros_like(point)
        free = problem.free
        step[free] = np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
        while (higher := _height(problem, point + step)) < height and np.abs(step).max() > _SETTLED:
            step /= 2
        point, height = point + step, higher
        if np.abs(step).max() <= _SETTLED:
            break
    return point


def _height(problem: _Problem, point: Floats) -> float:
    """Log of the posterior density, up to a constant."""
    chances = _chances(point[problem.columns] @ _SIGNS, point[-1])
    likelihood = (problem.outcomes * np.log(np.maximum(chances, 1e-300))).sum()
    return float(likelihood - (problem.precision * (point - problem.mean) ** 2).sum() / 2)


def _slopes(problem: _Problem, point: Floats) -> tuple[Floats, Floats]:
    """Gradient of the height, and its Hessian with the sign turned.

    The statistic that goes with ``d`` is +½ for a win, 0 for a draw and -½ for a loss; the one
    that goes with ``δ`` counts draws. The gradient is observed less expected, the Hessian the
    covariance of both, spread over the parameters that ``d`` is made of.
    """
    win, draw, loss = _chances(point[problem.columns] @ _SIGNS, point[-1])
    wins, draws, losses = problem.outcomes
    games, edge = wins + draws + losses, (win - loss) / 2
    is_delta = np.array([0.0, 0.0, 0.0, 1.0])
    by_row = np.outer((wins - losses) / 2 - games * edge, _SIGNS)
    by_row += np.outer(draws - games * draw, is_delta)
    mixed = np.outer(_SIGNS, is_delta)
    curvature_by_row = (
        np.multiply.outer(games * ((win + loss) / 4 - edge**2), np.outer(_SIGNS, _SIGNS))
        + np.multiply.outer(games * -draw * edge, mixed + mixed.T)
        + np.multiply.outer(games * draw * (1 - draw), np.outer(is_delta, is_delta))
    )
    gradient = -problem.precision * (point - problem.mean)
    curvature = np.diag(problem.precision)
    columns = problem.columns
    np.add.at(gradient, columns, by_row)
    np.add.at(curvature, (columns[:, :, None], columns[:, None, :]), curvature_by_row)
    return gradient, curvature


def _covariance(problem: _Problem, peak: Floats, *, floating: bool) -> Floats:
    """Invert the Hessian; ``floating`` ratings are taken relative to their own mean."""
    covariance = np.zeros((peak.size, peak.size))
    free = np.ix_(problem.free, problem.free)
    covariance[free] = np.linalg.inv(_slopes(problem, peak)[1][free])
    count = peak.size - 2
    if not floating or count < 2:
        return covariance
    centring = np.eye(peak.size)
    centring[:count, :count] -= 1 / count
    return np.asarray(centring @ covariance @ centring, float)
