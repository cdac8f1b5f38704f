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

Time and memory grow with the players and the pairs that have met, not with the square of the
players. Among the ratings the Hessian is the Laplacian of a graph with an edge for each pair, plus
the prior: it is never built, only multiplied with vectors. Conjugate gradients solve each Newton
step. Their preconditioner is the diagonal, and the exact solution for ratings that move by groups
of neighbours in strength: ladders pair neighbours, so what converges slowly are the long waves.

Up to ``EXACT_PLAYERS`` players the Hessian is inverted as a whole. Beyond that its inverse has too
many entries, and only the diagonal is estimated, by Hutchinson's method: for a vector ``z`` of
random signs the expectation of ``z * (H⁻¹ z)`` is the diagonal of ``H⁻¹`` (Bekas, Kokiopoulou and
Saad, "An estimator for the diagonal of a matrix", 2007). Parts whose diagonal is known are taken
out of the estimate first, because they hold most of its noise: the inverse for moves by groups, and
the first two terms of the Neumann series, ``D⁻¹ + D⁻¹ A D⁻¹`` for ``H = D - A``. No variance is
less than ``1 / D``, that of a player whose opponents are known perfectly. The half-widths found so
are within some per cent of the exact ones where players meet many opponents, as
``scripts/bench/fit.py`` measures, and less exact where each meets only a few neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from server.model.game import Tally
from server.rating.pair_table import Integers, PairColumns, PairTable
from server.rating.sprt import ELO_PER_NAT, Z95

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

EXACT_PLAYERS: Final = 1000
"""Most players for which the whole covariance is computed."""
_NO_ANCHORS: Final[Mapping[str, float]] = {}
_MOST_STEPS: Final = 100
_MOST_ROUNDS: Final = 2000  # of conjugate gradients; a hundred are many
_GROUPS: Final = 256
_PROBES: Final = 12
_BLOCK: Final = 1 << 15  # pairs handled together, so that what is computed stays in the cache
_SETTLED: Final = 1e-10
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
        covariance: of the ratings, in Elo², in the order of ``players``; None beyond
            ``EXACT_PLAYERS``.
    """

    players: tuple[Rating, ...]
    advantage: float
    advantage_error: float
    draw_weight: float
    covariance: Floats | None = field(repr=False)

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

        Without a covariance the errors of two ratings are taken to be independent.

        Returns:
            Shape (players, players), in the order of ``players``; ½ on the diagonal.
        """
        elo = np.array([rating.elo for rating in self.players])
        variance = (np.array([rating.error for rating in self.players]) / Z95) ** 2
        shared = np.diag(variance) if self.covariance is None else self.covariance
        spread = np.maximum(variance[:, None] + variance - 2 * shared, 1e-12)
        gap = (elo[:, None] - elo) / np.sqrt(spread)
        chances = [NormalDist().cdf(value) for value in gap.flat]
        return np.array(chances).reshape(gap.shape)

    def expected(self, first: str, second: str) -> Expected:
        """Return the chances of a game's outcomes.

        Raises:
            KeyError: when a name is unknown.
        """
        gap = (self[first].elo - self[second].elo + self.advantage) / ELO_PER_NAT
        win, draw, loss = chances(np.array([gap]), self.draw_weight)
        return Expected(float(win[0]), float(draw[0]), float(loss[0]))


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


class Start(NamedTuple):
    """Where the climb begins: what is known from an earlier fit.

    Attributes:
        elo: ratings by name, in Elo; a player that is not named begins at the centre.
        advantage: what moving first is worth, in Elo.
        draw_weight: ``D``.
    """

    elo: Mapping[str, float] = _NO_ANCHORS
    advantage: float = 0.0
    draw_weight: float = 1.0


FROM_NOTHING: Final = Start()


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
    table = PairTable()
    table.name(sorted({*players, *anchors, *(name for seats in tallies for name in seats)}))
    for seats in sorted(tallies):
        table.add(seats, tallies[seats])
    return fit_columns(table.columns(), anchors=anchors, model=model)


def fit_columns(
    columns: PairColumns,
    *,
    anchors: Mapping[str, float] = _NO_ANCHORS,
    model: Model = Model(),
    start: Start = FROM_NOTHING,
    exact_players: int = EXACT_PLAYERS,
) -> Ratings:
    """Fit everything to the columns of a :class:`PairTable`.

    Args:
        columns: the outcomes; every name in them is rated.
        anchors: ratings that are known and stay as they are, in Elo; the scale's fixed points.
        model: the priors.
        start: where to begin; it changes the time taken, not the result.
        exact_players: most players for which the whole covariance is computed.
    """
    problem = _pose(columns, anchors, model)
    peak, solver = _climb(problem, _start(problem, columns, start))
    count, floating = len(columns.names), not anchors
    covariance = None
    if count <= exact_players:
        covariance = _covariance(problem, _slopes(problem, peak).curvature, floating=floating)
        variances = covariance.diagonal()
    else:
        variances = _variances(solver, floating=floating)
    return _report(problem, columns, peak, variances, covariance)


class _Problem(NamedTuple):
    """The likelihood and the prior, on the natural scale.

    The parameters are the players' ratings, then the advantage, then δ.
    """

    low: Counts  # (pairs,): as in PairColumns
    high: Counts
    outcomes: Integers  # (2, 3, pairs)
    mean: Floats  # (parameters,): of the prior
    precision: Floats  # (parameters,): of the prior
    free: Floats  # (parameters,): 0 for an anchor, 1 otherwise


class _Curvature(NamedTuple):
    """The Hessian with the sign turned, at one point."""

    weights: Floats  # (pairs,): Fisher information about the difference of the two ratings
    diagonal: Floats  # (parameters,)
    border: Floats  # (2, players): the advantage's and δ's row, among the ratings
    mixed: float  # advantage and δ


class _Slopes(NamedTuple):
    """Log of the posterior density (up to a constant), its gradient and its curvature."""

    height: float
    gradient: Floats  # (parameters,)
    curvature: _Curvature


def _pose(columns: PairColumns, anchors: Mapping[str, float], model: Model) -> _Problem:
    names = columns.names
    centre = sum(anchors.values()) / len(anchors) if anchors else model.centre
    elo = [anchors.get(name, centre) for name in names]
    deviations = np.array([model.deviation] * len(names) + [model.advantage_deviation])
    return _Problem(
        low=columns.low.astype(np.int64),
        high=columns.high.astype(np.int64),
        outcomes=columns.outcomes,
        mean=np.array([*elo, 0.0, 0.0]) / ELO_PER_NAT,
        precision=np.append(deviations / ELO_PER_NAT, _DELTA_DEVIATION) ** -2.0,
        free=np.array([name not in anchors for name in names] + [True, True], float),
    )


def _start(problem: _Problem, columns: PairColumns, start: Start) -> Floats:
    centre = problem.mean[:-2]
    known = [start.elo.get(name, np.nan) for name in columns.names]
    ratings = np.where(np.isnan(known), centre, np.array(known) / ELO_PER_NAT)
    others = [start.advantage / ELO_PER_NAT, np.log(start.draw_weight)]
    return np.where(problem.free > 0, np.append(ratings, others), problem.mean)


def chances(gap: Floats, draw_weight: float) -> tuple[Floats, Floats, Floats]:
    """Return the chances of win, draw and loss, each of the shape of ``gap``."""
    up = np.exp(np.clip(gap, -600, 600) / 2)
    down = 1 / up
    total = up + draw_weight + down
    return up / total, draw_weight / total, down / total


def information(win: Floats, loss: Floats) -> Floats:
    """Return a game's Fisher information about the difference of two ratings, in Nat⁻².

    Args:
        win: chances that the first player wins.
        loss: chances that it loses.
    """
    return (win + loss) / 4 - ((win - loss) / 2) ** 2


def _climb(problem: _Problem, point: Floats) -> tuple[Floats, _Solver]:
    """Return the peak, and what solves equations with the Hessian there."""
    here, size = _slopes(problem, point), 1.0
    for _ in range(_MOST_STEPS):
        solver = _solver(problem, here.curvature, point)
        precision = min(1e-2, max(1e-6, size / 10))
        step = solver.solve(here.gradient * problem.free, precision)
        size = float(np.abs(step).max())
        if size * max(size, precision) <= _SETTLED:  # what the next step would correct
            return point + step, solver
        there = _slopes(problem, point + step)
        while there.height < here.height - 1e-12 * abs(here.height) and size > _SETTLED:
            step, size = step / 2, size / 2
            there = _slopes(problem, point + step)
        point, here = point + step, there
    return point, _solver(problem, here.curvature, point)


def _slopes(problem: _Problem, point: Floats) -> _Slopes:
    """Return height, gradient and curvature at a point.

    The statistic that goes with ``d`` is +½ for a win, 0 for a draw and -½ for a loss; the one
    that goes with ``δ`` counts draws. The gradient is observed less expected, the Hessian the
    covariance of both, spread over the parameters that ``d`` is made of. In the second of a
    pair's two rows of outcomes ``low`` and ``high`` change places, so its sign is turned.
    """
    ratings, players = point[:-2], point.size - 2
    gradient = -problem.precision * (point - problem.mean)
    diagonal = problem.precision.copy()
    border, weights = np.zeros((2, players)), np.empty(problem.low.size)
    height, mixed = -float((problem.precision * (point - problem.mean) ** 2).sum()) / 2, 0.0
    for begin in range(0, problem.low.size, _BLOCK):
        block = slice(begin, begin + _BLOCK)
        low, high = problem.low[block], problem.high[block]
        gap = ratings[low] - ratings[high]
        signed = np.zeros((3, gap.size))  # gradient, weight and mixed term; the first row's sign
        weights[block] = 0
        for sign, outcomes in zip((1.0, -1.0), problem.outcomes[:, :, block], strict=True):
            found = _row(sign * gap + point[-2], point[-1], outcomes)
            height += found.height
            signed += sign * np.stack((found.slope, found.weight, found.mixed))
            weights[block] += found.weight
            gradient[-2:] += found.slope.sum(), found.draws
            diagonal[-2:] += found.weight.sum(), found.draw_weight
            mixed += float(found.mixed.sum())
        for sign, numbers in ((1.0, low), (-1.0, high)):
            gradient[:-2] += sign * _spread(numbers, signed[0], players)
            border[0] += sign * _spread(numbers, signed[1], players)
            border[1] += sign * _spread(numbers, signed[2], players)
            diagonal[:-2] += _spread(numbers, weights[block], players)
    return _Slopes(height, gradient, _Curvature(weights, diagonal, border, mixed))


class _Row(NamedTuple):
    """What the games of one row of outcomes add."""

    height: float
    slope: Floats  # (pairs,): along d
    weight: Floats  # (pairs,): along d and d
    mixed: Floats  # (pairs,): along d and δ
    draws: float  # slope along δ, of all pairs
    draw_weight: float  # along δ and δ, of all pairs


def _row(gap: Floats, delta: float, outcomes: Integers) -> _Row:
    wins, draws, losses = outcomes.astype(float)
    games = wins + draws + losses
    win, draw, loss = chances(gap, float(np.exp(delta)))
    edge, drawn = (win - loss) / 2, games * draw
    log_total = np.log(np.maximum(draw, 1e-300)) - delta  # of 1 / (the sum of the three weights)
    height = (wins - losses) * gap / 2 + draws * delta + games * log_total
    return _Row(
        height=float(height.sum()),
        slope=(wins - losses) / 2 - games * edge,
        weight=games * information(win, loss),
        mixed=-drawn * edge,
        draws=float((draws - drawn).sum()),
        draw_weight=float((drawn * (1 - draw)).sum()),
    )


def _spread(numbers: Counts, values: Floats, players: int) -> Floats:
    return np.asarray(np.bincount(numbers, values, players), float)


def _coarse(problem: _Problem, curvature: _Curvature, point: Floats) -> _Coarse:
    """Return the Hessian's inverse for ratings that move by groups."""
    players = point.size - 2
    groups = min(players, _GROUPS)
    group = np.empty(players, np.int64)
    group[np.argsort(point[:-2], kind="stable")] = np.arange(players) * groups // max(players, 1)
    free, hessian = problem.free[:-2], np.zeros((groups + 2, groups + 2))
    between = np.zeros(groups * groups)
    for begin in range(0, problem.low.size, _BLOCK):
        block = slice(begin, begin + _BLOCK)
        low, high = problem.low[block], problem.high[block]
        weights = curvature.weights[block] * free[low] * free[high]
        between += np.bincount(group[low] * groups + group[high], weights, between.size)
    hessian[:groups, :groups] = -between.reshape(groups, groups)
    hessian += hessian.T
    diagonal = np.bincount(group, curvature.diagonal[:-2] * free, groups)
    diagonal += np.bincount(group, free, groups) == 0  # a group of anchors does not move
    hessian[range(groups), range(groups)] += diagonal
    for place, border in zip((-2, -1), curvature.border, strict=True):
        hessian[place, :groups] = hessian[:groups, place] = np.bincount(
            group, border * free, groups
        )
        hessian[place, place] = curvature.diagonal[place]
    hessian[-2, -1] = hessian[-1, -2] = curvature.mixed
    return _Coarse(group, hessian, np.asarray(np.linalg.inv(hessian), float))


class _Coarse(NamedTuple):
    """The Hessian and its inverse for ratings that move by groups of neighbours in strength.

    The advantage and δ move freely.
    """

    group: Counts  # (players,)
    hessian: Floats  # (groups + 2, groups + 2)
    inverse: Floats  # (groups + 2, groups + 2)

    def times(self, vector: Floats) -> Floats:
        """Multiply it with a vector of all parameters."""
        sums = np.bincount(self.group, vector[:-2], len(self.inverse) - 2)
        moves = np.einsum("ij,j->i", self.inverse, np.append(sums, vector[-2:]))
        return np.append(moves[self.group], moves[-2:])

    def diagonal(self) -> Floats:
        """Return its diagonal, for all parameters."""
        diagonal = self.inverse.diagonal()
        return np.append(diagonal[self.group], diagonal[-2:])


class _Solver(NamedTuple):
    """Solves equations with the Hessian of one point."""

    problem: _Problem
    curvature: _Curvature
    coarse: _Coarse
    scale: Floats  # (parameters,): 1 / diagonal, 0 for an anchor

    def times(self, vector: Floats) -> Floats:
        """Multiply the Hessian, its sign turned, with a vector that is 0 for each anchor."""
        problem, curvature, ratings = self.problem, self.curvature, vector[:-2]
        product = curvature.diagonal * vector
        for begin in range(0, problem.low.size, _BLOCK):
            block = slice(begin, begin + _BLOCK)
            low, high = problem.low[block], problem.high[block]
            weights = curvature.weights[block]
            product[:-2] -= _spread(low, weights * ratings[high], ratings.size)
            product[:-2] -= _spread(high, weights * ratings[low], ratings.size)
        for place, border in zip((-2, -1), curvature.border, strict=True):
            product[:-2] += vector[place] * border
            product[place] += _dot(border, ratings) + curvature.mixed * vector[-3 - place]
        return product * problem.free

    def solve(self, target: Floats, precision: float) -> Floats:
        """Solve an equation by conjugate gradients.

        Args:
            target: the right-hand side; 0 for each anchor.
            precision: size of the rest, relative to that of the target.
        """
        solution, rest = np.zeros_like(target), target
        direction = scaled = self._precondition(rest)
        size = _dot(rest, scaled)
        enough = size * precision**2
        for _ in range(_MOST_ROUNDS):
            if size <= enough:
                break
            product = self.times(direction)
            length = size / _dot(direction, product)
            solution = solution + length * direction
            rest = rest - length * product
            scaled = self._precondition(rest)
            size, before = _dot(rest, scaled), size
            direction = scaled + size / before * direction
        return solution

    def _precondition(self, vector: Floats) -> Floats:
        return self.scale * vector + self.problem.free * self.coarse.times(vector)


def _dot(one: Floats, two: Floats) -> float:
    """Multiply two vectors without BLAS, whose threads wait for one another on a busy machine."""
    return float((one * two).sum())


def _solver(problem: _Problem, curvature: _Curvature, point: Floats) -> _Solver:
    coarse = _coarse(problem, curvature, point)
    return _Solver(problem, curvature, coarse, problem.free / curvature.diagonal)


def _covariance(problem: _Problem, curvature: _Curvature, *, floating: bool) -> Floats:
    """Invert the Hessian; ``floating`` ratings are taken relative to their own mean."""
    players = problem.mean.size - 2
    hessian = np.diag(curvature.diagonal)
    for one, two in ((problem.low, problem.high), (problem.high, problem.low)):
        np.add.at(hessian, (one, two), -curvature.weights)
    hessian[-2:, :players] = curvature.border
    hessian[:players, -2:] = curvature.border.T
    hessian[-2, -1] = hessian[-1, -2] = curvature.mixed
    covariance = np.zeros_like(hessian)
    free = np.ix_(problem.free > 0, problem.free > 0)
    covariance[free] = np.linalg.inv(hessian[free])
    if not floating or players < 2:
        return covariance
    centring = np.eye(problem.mean.size)
    centring[:players, :players] -= 1 / players
    return np.asarray(centring @ covariance @ centring, float)


def _variances(solver: _Solver, *, floating: bool) -> Floats:
    """Return the diagonal of the Hessian's inverse: the advantage's exact, the ratings' estimated.

    ``floating`` ratings are taken relative to their own mean. δ's variance is left at 0.
    """
    problem = solver.problem
    players = problem.mean.size - 2
    variances = np.clip(_inverse_diagonal(solver), solver.scale, 1 / problem.precision)
    if floating:
        ones = np.append(np.ones(players), [0.0, 0.0])
        shift = solver.solve(ones, 1e-4)
        variances += float(ones @ shift) / players**2 - 2 * shift / players
    advantage = np.zeros_like(problem.mean)
    advantage[-2] = 1.0
    variances[-2:] = solver.solve(advantage, 1e-4)[-2], 0.0
    return variances


def _inverse_diagonal(solver: _Solver) -> Floats:
    coarse, scale, free = solver.coarse, solver.scale, solver.problem.free
    held = _held_twice(solver)
    signs = np.random.default_rng(scale.size)
    sums = np.zeros_like(scale)
    for _ in range(_PROBES):
        probe = free * np.append(signs.choice([-1.0, 1.0], scale.size - 2), [0.0, 0.0])
        first = scale * probe
        series = first + scale * (probe - solver.times(first))
        known = free * coarse.times(probe) + series - held.times(probe)
        sums += probe * (solver.solve(probe, 1e-2) - known)
    return sums / _PROBES + free * (coarse.diagonal() - held.diagonal()) + scale


def _held_twice(solver: _Solver) -> _Coarse:
    """Return what the inverse by groups and the Neumann series have in common: its groups' part."""
    group, hessian, _ = solver.coarse
    sums = np.bincount(group, solver.curvature.diagonal[:-2], len(hessian) - 2)
    scale = np.append(1 / sums, [0.0, 0.0])
    common = 2 * np.diag(scale) - scale[:, None] * hessian * scale
    return _Coarse(group, hessian, np.asarray(common, float))


def _report(
    problem: _Problem,
    columns: PairColumns,
    peak: Floats,
    variances: Floats,
    covariance: Floats | None,
) -> Ratings:
    errors = Z95 * ELO_PER_NAT * np.sqrt(np.maximum(variances, 0))
    elo, (games, points) = peak * ELO_PER_NAT, _records(problem)
    scores = np.divide(points, games, out=np.full(len(columns.names), 0.5), where=games > 0)
    figures = (elo[:-2], errors[:-2], games.astype(int), scores)
    ratings = tuple(map(Rating, columns.names, *(figure.tolist() for figure in figures)))
    order = sorted(range(len(ratings)), key=lambda place: (-ratings[place].elo, ratings[place]))
    if covariance is not None:
        covariance = covariance[np.ix_(order, order)] * ELO_PER_NAT**2
    return Ratings(
        players=tuple(ratings[place] for place in order),
        advantage=float(elo[-2]),
        advantage_error=float(errors[-2]),
        draw_weight=float(np.exp(peak[-1])),
        covariance=covariance,
    )


def _records(problem: _Problem) -> tuple[Floats, Floats]:
    """Return games and points of each player."""
    players = problem.mean.size - 2
    games, points = np.zeros(players), np.zeros(players)
    for seats, (wins, draws, losses) in zip(
        ((problem.low, problem.high), (problem.high, problem.low)), problem.outcomes, strict=True
    ):
        for numbers, won in zip(seats, (wins, losses), strict=True):
            games += _spread(numbers, (wins + draws + losses).astype(float), players)
            points += _spread(numbers, won + draws / 2, players)
    return games, points
