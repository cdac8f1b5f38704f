"""The joint fit of all ratings: one likelihood, with draws and the value of moving first.

Let ``d`` be the difference of the two ratings, the first mover's advantage added to the first.
On the natural scale (Elo times ln 10 / 400) the three outcomes have the weights

    first wins  exp(d/2)        draw  D        second wins  exp(-d/2)

which is Davidson's model (R. R. Davidson, JASA 65, 1970) with the order effect of Davidson and
Beaver (Biometrics 33, 1977). It is an exponential family in the ratings, the advantage and
``δ = ln D``: the log-likelihood is concave, has one peak, and its Hessian does not depend on the
outcomes, only on the pairings. Newton's method with halved steps climbs it.

A normal prior of large deviation keeps the peak finite where the data do not: for bots that never
lost, for bots without games, for groups that never met. Without anchors it also fixes the scale,
since a shift of all ratings changes nothing else: their mean is ``centre``, and each interval
then speaks of the difference from that mean. Intervals are those of the normal approximation at
the peak, the inverse of the Hessian (Laplace).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from server.model.game import Tally
from server.rating.sprt import ELO_PER_NAT, Z95

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_NO_ANCHORS: Final[Mapping[str, float]] = {}
_MOST_STEPS: Final = 100
_SETTLED: Final = 1e-9
_DELTA_DEVIATION: Final = 3.0  # D between 1/400 and 400: from hardly a draw to hardly a win


class Rating(NamedTuple):
    """One player's rating.

    Attributes:
        name: the player.
        elo: the rating.
        error: half-width of its 95 % interval; 0 for an anchor.
        games: games it rests on.
        score: mean score in them, 0..1; ½ without any.
    """

    name: str
    elo: float
    error: float
    games: int
    score: float


class Expected(NamedTuple):
    """Chances of the three outcomes, for the player who moves first."""

    win: float
    draw: float
    loss: float


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """The joint fit.

    Attributes:
        players: one rating a player, the strongest first.
        advantage: what moving first is worth, in Elo.
        advantage_error: half-width of its 95 % interval.
        draw_weight: ``D``; equals draw with the chance ``D / (D + 2)``, seats aside.
        covariance: of the ratings, in Elo², in the order of ``players``.
    """

    players: tuple[Rating, ...]
    advantage: float
    advantage_error: float
    draw_weight: float
    covariance: Floats = field(repr=False)

    def __getitem__(self, name: str) -> Rating:
        """Return a player's rating.

        Raises:
            KeyError: when there is no such player.
        """
        for rating in self.players:
            if rating.name == name:
                return rating
        raise KeyError(name)

    def los(self) -> Floats:
        """Return the likelihood, 0..1, that the row's player is stronger than the column's.

        Returns:
            Shape (players, players), in the order of ``players``; ½ on the diagonal.
        """
        elo = np.array([rating.elo for rating in self.players])
        variance = self.covariance.diagonal()
        spread = np.maximum(variance[:, None] + variance - 2 * self.covariance, 1e-12)
        gap = (elo[:, None] - elo) / np.sqrt(spread)
        chances = [NormalDist().cdf(value) for value in gap.flat]
        return np.array(chances).reshape(gap.shape)

    def expected(self, first: str, second: str) -> Expected:
        """Return the chances of a game's outcomes.

        Raises:
            KeyError: when a name is unknown.
        """
        gap = (self[first].elo - self[second].elo + self.advantage) / ELO_PER_NAT
        win, draw, loss = _chances(np.array([gap]), np.log(self.draw_weight))[:, 0]
        return Expected(float(win), float(draw), float(loss))


@dataclass(frozen=True, slots=True)
class Model:
    """What is assumed before any game.

    Attributes:
        centre: mean of all ratings, where no anchors say otherwise.
        deviation: standard deviation of the players' prior, in Elo. 600 hardly moves a rating
            that rests on twenty games, and puts a bot with 20 wins of 20 some 900 above the
            bot it beat.
        advantage_deviation: the same for the worth of moving first, around 0.
    """

    centre: float = 1500.0
    deviation: float = 600.0
    advantage_deviation: float = 400.0


def fit(
    tallies: Mapping[tuple[str, str], Tally],
    *,
    players: Iterable[str] = (),
    anchors: Mapping[str, float] = _NO_ANCHORS,
    model: Model = Model(),
) -> Ratings:
    """Fit all ratings, the first-move advantage and the rate of draws together.

    Args:
        tallies: outcomes for each ``(first, second)``.
        players: names to rate even if they have no games.
        anchors: ratings that are known and stay as they are, in Elo; the scale's fixed points.
        model: the priors.

    Raises:
        ValueError: when a player is said to have played itself.
    """
    if own := [first for first, second in tallies if first == second]:
        raise ValueError(f"{own[0]!r} cannot play itself")
    names = sorted({*players, *anchors, *(name for seats in tallies for name in seats)})
    problem = _pose(names, tallies, anchors, model)
    peak = _climb(problem)
    covariance = _covariance(problem, peak, floating=not anchors) * ELO_PER_NAT**2
    return _report(names, tallies, peak, covariance)


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


def _report(
    names: list[str],
    tallies: Mapping[tuple[str, str], Tally],
    peak: Floats,
    covariance: Floats,
) -> Ratings:
    errors = Z95 * np.sqrt(np.maximum(covariance.diagonal(), 0))
    played, points = _records(names, tallies)
    ratings = [
        Rating(
            name,
            float(peak[place] * ELO_PER_NAT),
            float(errors[place]),
            played[name],
            points[name] / played[name] if played[name] else 0.5,
        )
        for place, name in enumerate(names)
    ]
    order = sorted(range(len(names)), key=lambda place: (-ratings[place].elo, names[place]))
    return Ratings(
        players=tuple(ratings[place] for place in order),
        advantage=float(peak[-2] * ELO_PER_NAT),
        advantage_error=float(errors[-2]),
        draw_weight=float(np.exp(peak[-1])),
        covariance=covariance[np.ix_(order, order)],
    )


def _records(
    names: list[str], tallies: Mapping[tuple[str, str], Tally]
) -> tuple[dict[str, int], dict[str, float]]:
    played, points = dict.fromkeys(names, 0), dict.fromkeys(names, 0.0)
    for (first, second), outcome in tallies.items():
        for name, wins in ((first, outcome.wins), (second, outcome.losses)):
            played[name] += sum(outcome)
            points[name] += wins + outcome.draws / 2
    return played, points
