"""The joint fit by dense matrices, without pairs: a reference for the one that scales."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mancala.server.model.game import Tally
from mancala.server.rating.fit import Model
from mancala.server.rating.scale import ELO_PER_NAT, Z95

Floats = NDArray[np.float64]

_NO_ANCHORS: Final[Mapping[str, float]] = {}
_MOST_STEPS: Final = 300
_SETTLED: Final = 1e-12
_DELTA_DEVIATION: Final = 3.0  # D between 1/400 and 400: from hardly a draw to hardly a win


class DenseFit(NamedTuple):
    """Ratings, advantage and their half-widths in Elo, and the rate of draws."""

    elo: dict[str, float]
    error: dict[str, float]
    advantage: float
    advantage_error: float
    draw_weight: float


class _Rows(NamedTuple):
    """The equations at one point: one row for each ``(first, second)``."""

    score: Floats  # (rows,): expected, of the first
    slope: Floats  # (rows,): along the difference of ratings
    direction: Floats  # (rows, parameters): what a residual counts in each equation
    surplus: Floats  # (rows,): points less expected points


def dense_fit(
    tallies: Mapping[tuple[str, str], Tally],
    *,
    players: Iterable[str] = (),
    anchors: Mapping[str, float] = _NO_ANCHORS,
) -> DenseFit:
    names = sorted({*players, *anchors, *(name for seats in tallies for name in seats)})
    outcomes = np.array(list(tallies.values()), float).reshape(-1, 3)
    signs = np.zeros((len(tallies), len(names)))
    for row, (first, second) in enumerate(tallies):
        signs[row, names.index(first)], signs[row, names.index(second)] = 1, -1
    model = Model()
    centre = sum(anchors.values()) / len(anchors) if anchors else model.centre
    mean = np.array([anchors.get(name, centre) for name in names] + [0.0]) / ELO_PER_NAT
    deviations = np.array([model.deviation] * len(names) + [model.advantage_deviation])
    precision = np.diag((deviations / ELO_PER_NAT) ** -2.0)
    free = np.array([name not in anchors for name in names] + [True])
    games, point = outcomes.sum(1), mean.copy()
    for _ in range(_MOST_STEPS):
        rows = _rows(signs, outcomes, point)
        gradient = rows.direction.T @ rows.surplus - precision @ (point - mean)
        curvature = rows.direction.T @ ((games * rows.slope)[:, None] * rows.direction) + precision
        step = np.zeros_like(point)
        step[free] = np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
        point = point + step * min(1, 1 / np.abs(step).max(initial=1e-9))
        if np.abs(step).max() <= _SETTLED:
            break
    draw_weight = _draw_weight(rows.score, outcomes)
    variance = rows.score * (1 - rows.score) - _draws(rows.score, draw_weight) / 4
    varying = rows.direction.T @ ((games * variance)[:, None] * rows.direction) + precision
    inverse = np.zeros_like(curvature)
    inverse[np.ix_(free, free)] = np.linalg.inv(curvature[np.ix_(free, free)])
    covariance = _centred(inverse @ varying @ inverse, _groups(tallies, names), names, anchors)
    elo, errors = point * ELO_PER_NAT, Z95 * ELO_PER_NAT * np.sqrt(covariance.diagonal())
    return DenseFit(
        dict(zip(names, elo[:-1].tolist(), strict=True)),
        dict(zip(names, errors[:-1].tolist(), strict=True)),
        float(elo[-1]),
        float(errors[-1]),
        draw_weight,
    )


def _rows(signs: Floats, outcomes: Floats, point: Floats) -> _Rows:
    gap, advantage = signs @ point[:-1], point[-1]
    latent = _root(lambda d: _mean_score(d, advantage) - _logistic(gap), gap.shape, 80)
    up, down = _logistic(latent + advantage), _logistic(latent - advantage)
    steep_up, steep_down = up * (1 - up), down * (1 - down)
    both = _logistic(gap)
    by_gap = steep_up * 2 * both * (1 - both) / (steep_up + steep_down)
    by_advantage = steep_up * (1 - (steep_up - steep_down) / (steep_up + steep_down))
    direction = np.column_stack((signs, by_advantage / by_gap))
    surplus = outcomes[:, 0] + outcomes[:, 1] / 2 - outcomes.sum(1) * up
    return _Rows(up, by_gap, direction, surplus)


def _logistic(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)), float)


def _mean_score(latent: Floats, advantage: float) -> Floats:
    return (_logistic(latent + advantage) + _logistic(latent - advantage)) / 2


def _root(rising: Callable[[Floats], Floats], shape: tuple[int, ...], far: float) -> Floats:
    low, high = np.full(shape, -far), np.full(shape, far)
    for _ in range(100):
        middle = (low + high) / 2
        above = rising(middle) > 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray((low + high) / 2, float)


def _draws(score: Floats, draw_weight: float) -> Floats:
    """Return Davidson's chances of a draw at expected scores."""

    def excess(strength: Floats) -> Floats:
        up, down = np.exp(strength / 2), np.exp(-strength / 2)
        return (up + draw_weight / 2) / (up + draw_weight + down) - score

    strength = _root(excess, score.shape, 160)
    return np.asarray(
        draw_weight / (np.exp(strength / 2) + draw_weight + np.exp(-strength / 2)), float
    )


def _draw_weight(score: Floats, outcomes: Floats) -> float:
    def excess(delta: Floats) -> Floats:
        expected = (outcomes.sum(1) * _draws(score, float(np.exp(delta[0])))).sum()
        return np.asarray(delta / _DELTA_DEVIATION**2 + expected - outcomes[:, 1].sum(), float)

    return float(np.exp(_root(excess, (1,), 14)[0]))


def _groups(seats: Iterable[tuple[str, str]], names: list[str]) -> list[set[str]]:
    groups = [{name} for name in names]
    for pair in seats:
        met = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if group not in met] + [set().union(*met)]
    return groups


def _centred(
    covariance: Floats, groups: list[set[str]], names: list[str], anchors: Mapping[str, float]
) -> Floats:
    """Return the covariance of ratings relative to the mean of their group, without anchors."""
    centring = np.eye(covariance.shape[0])
    for group in groups:
        if len(group) > 1 and not anchors:
            members = [names.index(name) for name in group]
            centring[np.ix_(members, members)] -= 1 / len(members)
    return np.asarray(centring @ covariance @ centring.T, float)
