"""The joint fit of all ratings, and of what moving first is worth.

``equations.py`` has the equations, ``noise.py`` the variance of what they add up, and ``solver.py``
solves them. With ``H`` the curvature of the equations and ``K`` the covariance of their left sides,
the covariance of the ratings is ``H⁻¹ K H⁻¹``, the sandwich (P. J. Huber, Proceedings of the Fifth
Berkeley Symposium, 1967): it is right whatever the distribution of the points, as long as ``K`` is.

A normal prior of large deviation keeps the ratings finite where the games do not: for bots that
never lost, for bots without games, for groups that never met. A group of connected players
(``groups.py``) without an anchor has a zero of its own, the mean of its references or of all its
players, which is put at ``centre``; each interval then speaks of the difference from that zero.

Up to ``EXACT_PLAYERS`` players the covariance is computed as a whole. Beyond that it has too many
entries, and only the intervals are computed: exactly in groups of at most ``SMALL_GROUP`` players,
where the others' part in the worth of moving first is taken as known; in larger ones from an
estimate of the diagonal of ``H⁻¹``, times the ratio of the diagonals of ``K`` and ``H``, which is
exact where all pairs vary alike. ``scripts/bench/serving/fit.py`` measures how close that is.

Where the whole covariance is known, it is asked whether the players lie on one line
(``misfit.py``); if they do not, all intervals of ratings may be widened.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple

import msgspec
import numpy as np

from ..model.game import Seats, Tally
from ..model.misfit import NOTHING_TO_COMPARE, Misfit, PairResidual
from ..model.pair_counts import NO_PAIRS, PairCounts
from .equations import Curvature, FitProblem, Floats, points_of_low, slopes, spread
from .groups import Groups
from .misfit import misfit
from .noise import Noise, measured
from .pair_table import PairColumns, PairTable
from .ratings import Rating, Ratings
from .scale import ELO_PER_NAT, PRIOR_ELO, Z95
from .solver import CurvatureSolver, dense, dot, multiplied

EXACT_PLAYERS: Final = 1000
"""Most players for which the whole covariance is computed."""
SMALL_GROUP: Final = 64
"""Most players of a group whose intervals are exact in a fit of any size."""
EXACT_REFERENCES: Final = 4
"""Most references whose own intervals are exact: so near to their mean an estimate says nothing."""
MOST_LEFT_OUT: Final = 20
"""Most unusual pairs whose games a fit leaves out."""
_NO_ANCHORS: Final[Mapping[str, float]] = {}
_MOST_STEPS: Final = 200
_SETTLED: Final = 1e-10
_OVERSHOT: Final = -0.5
_NEARBY: Final = 0.1


@dataclass(frozen=True, slots=True)
class Model:
    """What is assumed of the players.

    Attributes:
        centre: the zero of each group that no anchor holds, and the prior's mean, where there is
            no anchor at all; otherwise both are the mean of the anchors.
        deviation: standard deviation of the players' prior, in Elo.
        advantage_deviation: the same for the worth of moving first, around 0.
        widen: whether intervals are wider where the players do not lie on one line, of at most
            ``exact_players``. Not where strangers play: by what they score among themselves they
            would widen the intervals of all.
        leave_out: whether the games of unusual pairs are left out, the most unusual first, as long
            as there is one and the others still say what to expect of one another; at most
            `MOST_LEFT_OUT`.
    """

    centre: float = 1500.0
    deviation: float = PRIOR_ELO
    advantage_deviation: float = 400.0
    widen: bool = False
    leave_out: bool = False


class Start(NamedTuple):
    """Where the fit begins, in Elo; a player that is not named begins at the centre."""

    elo: Mapping[str, float] = _NO_ANCHORS
    advantage: float = 0.0


FROM_NOTHING: Final = Start()


class _Errors(NamedTuple):
    """How uncertain a fit is, in nats squared; the variances of ratings are within their groups."""

    variances: Floats
    groups: Groups
    covariance: Floats | None
    misfit: Misfit | None = None


def fit(
    tallies: Mapping[Seats, Tally],
    *,
    pairs: Mapping[Seats, PairCounts] = NO_PAIRS,
    players: Iterable[str] = (),
    anchors: Mapping[str, float] = _NO_ANCHORS,
    references: Container[str] = (),
    model: Model = Model(),
) -> Ratings:
    """Fit all ratings and the first-move advantage together.

    Args:
        tallies: outcomes for each ``(first, second)``, of all games.
        pairs: the side-swapped pairs among these games, counted for the player named first.
            Games that are in none count as independent.
        players: names to rate even if they have no games.
        anchors: ratings that are known and stay as they are, in Elo; the scale's fixed points.
        references: players whose mean is the zero of a group without an anchor.
        model: what is assumed.

    Raises:
        ValueError: when a player is said to have played itself.
    """
    names = sorted({*players, *anchors, *(name for seats in tallies for name in seats)})
    columns = PairTable(tallies, pairs, names).columns()
    return fit_columns(columns, anchors=anchors, references=references, model=model)


def fit_columns(
    columns: PairColumns,
    *,
    anchors: Mapping[str, float] = _NO_ANCHORS,
    references: Container[str] = (),
    model: Model = Model(),
    start: Start = FROM_NOTHING,
    exact_players: int = EXACT_PLAYERS,
) -> Ratings:
    """Fit everything to the columns of a `PairTable`; every name in them is rated, as by `fit`.

    ``start`` changes the time taken, not the result; ``exact_players`` is the most players for
    which the whole covariance is computed.
    """
    fitted = partial(
        _fit_columns,
        anchors=anchors,
        references=references,
        model=model,
        exact_players=exact_players,
    )
    found = fitted(columns, start=start)
    left_out: list[PairResidual] = []
    while model.leave_out and len(left_out) < MOST_LEFT_OUT and (pair := _unusual(found)):
        columns = columns.without(pair.players)
        there = Start({each.name: each.elo for each in found.players}, found.advantage)
        rest = fitted(columns, start=there)
        if not _has_circle(columns, rest):
            break
        left_out.append(pair)
        known = rest.misfit or NOTHING_TO_COMPARE
        found = replace(rest, misfit=msgspec.structs.replace(known, left_out=tuple(left_out)))
    return found


def _has_circle(columns: PairColumns, ratings: Ratings) -> bool:
    """Return whether the games of others say what to expect of a pair; else all are as unusual."""
    return columns.low.size > len(columns.names) - len(set(ratings.groups.tolist()))


def _unusual(found: Ratings) -> PairResidual | None:
    """Return the pair that differs most from what the others say, if it is unusual."""
    most = found.misfit.residuals[:1] if found.misfit else ()
    return next((each for each in most if each.unusual), None)


def _fit_columns(
    columns: PairColumns,
    *,
    anchors: Mapping[str, float],
    references: Container[str],
    model: Model,
    start: Start,
    exact_players: int,
) -> Ratings:
    """Fit everything to all of the columns; arguments as for `fit_columns`."""
    problem = _pose(columns, anchors, model)
    point, solver = _solved(problem, _start(problem, columns, start))
    noise, varying = measured(problem, point)
    groups = Groups.of(problem, np.array([name in references for name in columns.names], bool))
    if len(columns.names) <= exact_players:
        errors = _exact_errors(solver, varying, groups, columns.names, point, widen=model.widen)
    else:
        errors = _Errors(_variances(solver, varying, groups), groups, None)
    point[:-1] = groups.above_zero(point[:-1], _centre(anchors, model) / ELO_PER_NAT)
    return _report(problem, columns, point, noise, errors)


def _pose(columns: PairColumns, anchors: Mapping[str, float], model: Model) -> FitProblem:
    names = columns.names
    centre = _centre(anchors, model)
    elo = [anchors.get(name, centre) for name in names]
    deviations = np.array([model.deviation] * len(names) + [model.advantage_deviation])
    return FitProblem(
        low=columns.low.astype(np.int64),
        high=columns.high.astype(np.int64),
        outcomes=columns.outcomes,
        pair_scores=columns.pair_scores,
        mean=np.array([*elo, 0.0]) / ELO_PER_NAT,
        precision=(deviations / ELO_PER_NAT) ** -2.0,
        free=np.array([name not in anchors for name in names] + [True], float),
    )


def _centre(anchors: Mapping[str, float], model: Model) -> float:
    return sum(anchors.values()) / len(anchors) if anchors else model.centre


def _start(problem: FitProblem, columns: PairColumns, start: Start) -> Floats:
    centre = problem.mean[:-1]
    known = [start.elo.get(name, np.nan) for name in columns.names]
    ratings = np.where(np.isnan(known), centre, np.array(known) / ELO_PER_NAT)
    everything = np.append(ratings, start.advantage / ELO_PER_NAT)
    return np.where(problem.free > 0, everything, problem.mean)


def _solved(problem: FitProblem, point: Floats) -> tuple[Floats, CurvatureSolver]:
    """Return the solution, and what solves linear equations with the curvature there.

    Newton's method; a step is halved while the equations along it change their sign by more than
    half, that is, while it goes far beyond the solution.
    """
    here, size, coarse = slopes(problem, point), 1.0, None
    for _ in range(_MOST_STEPS):
        solver = CurvatureSolver.at(problem, here.curvature, point, coarse)
        precision = min(1e-2, max(1e-6, size / 10))
        step = solver.solve(here.gradient * problem.free, precision)
        size, before = float(np.abs(step).max()), size
        if size * max(size / before, precision) <= _SETTLED:  # what the next step would correct
            return point + step, solver
        ahead, there = dot(step, here.gradient), slopes(problem, point + step)
        while dot(step, there.gradient) < _OVERSHOT * ahead and size > _SETTLED:
            step, size, ahead = step / 2, size / 2, ahead / 2
            there = slopes(problem, point + step)
        point, here = point + step, there
        coarse = solver.coarse if size < _NEARBY else None
    return point, CurvatureSolver.at(problem, here.curvature, point)


def _exact_errors(
    solver: CurvatureSolver,
    varying: Curvature,
    groups: Groups,
    names: tuple[str, ...],
    point: Floats,
    *,
    widen: bool,
) -> _Errors:
    """Return the errors, if wished wider where the players do not lie on one line."""
    everything = _covariance(solver.problem, solver.curvature, varying)
    covariance = everything[:-1, :-1]
    weights = solver.curvature.weights, varying.weights
    found = misfit(solver.problem, names, point, weights, covariance, widen=widen)
    covariance = covariance * (found.widening**2 if found else 1.0)
    variances = np.append(groups.variances(covariance), everything[-1, -1])
    return _Errors(variances, groups, covariance, found)


def _covariance(problem: FitProblem, curvature: Curvature, varying: Curvature) -> Floats:
    size = problem.mean.size
    free = np.ix_(problem.free > 0, problem.free > 0)
    inverse = np.zeros((size, size))
    inverse[free] = np.linalg.inv(dense(problem, curvature)[free])
    covariance = inverse @ dense(problem, varying) @ inverse
    return np.asarray((covariance + covariance.T) / 2, float)


def _variances(solver: CurvatureSolver, varying: Curvature, groups: Groups) -> Floats:
    """Return the variances of the ratings and of the advantage, as far as possible exact."""
    problem, curvature = solver.problem, solver.curvature
    variances = solver.inverse_diagonal()
    variances[:-1] -= groups.shifts(problem)
    variances *= varying.diagonal / curvature.diagonal
    for members, difference in groups.zeros():
        reached = solver.solve(np.append(difference, 0.0) * problem.free, 1e-4)
        moved = solver.solve(multiplied(problem, varying, reached), 1e-4)[:-1]
        of_mean = moved[members].mean()
        variances[members] += dot(difference, moved) - 2 * (moved[members] - of_mean)
    for player, from_zero in groups.references(EXACT_REFERENCES):
        moved = solver.solve(np.append(from_zero, 0.0) * problem.free, 1e-4)
        variances[player] = dot(moved, multiplied(problem, varying, moved))
    for members, pairs in groups.small(problem, SMALL_GROUP):
        part = problem.part(members, pairs)
        covariance = _covariance(part, curvature.part(members, pairs), varying.part(members, pairs))
        own = Groups.of(part, groups.weights[members] * groups.sizes[groups.number[members]] > 1)
        variances[members] = own.variances(covariance[:-1, :-1])
    unit = np.append(np.zeros(problem.mean.size - 1), 1.0)
    moved = solver.solve(unit, 1e-4)
    variances[-1] = dot(moved, multiplied(problem, varying, moved))
    return variances


def _report(
    problem: FitProblem, columns: PairColumns, point: Floats, noise: Noise, uncertain: _Errors
) -> Ratings:
    errors = Z95 * ELO_PER_NAT * np.sqrt(np.maximum(uncertain.variances, 0))
    elo, (games, points) = point * ELO_PER_NAT, _records(problem)
    scores = np.divide(points, games, out=np.full(len(columns.names), 0.5), where=games > 0)
    figures = (elo[:-1], errors[:-1], games.astype(int), scores)
    ratings = tuple(map(Rating, columns.names, *(figure.tolist() for figure in figures)))
    order = sorted(range(len(ratings)), key=lambda place: (-ratings[place].elo, ratings[place]))
    covariance = uncertain.covariance
    if covariance is not None:
        covariance = covariance[np.ix_(order, order)] * ELO_PER_NAT**2
    return Ratings(
        players=tuple(ratings[place] for place in order),
        advantage=float(elo[-1]),
        advantage_error=float(errors[-1]),
        draw_weight=noise.draw_weight,
        groups=uncertain.groups.number[order],
        shifts=uncertain.groups.shifts(problem)[order] * ELO_PER_NAT**2,
        covariance=covariance,
        misfit=uncertain.misfit,
    )


def _records(problem: FitProblem) -> tuple[Floats, Floats]:
    players = problem.mean.size - 1
    games = problem.outcomes.sum((0, 1)).astype(float)
    points = points_of_low(problem.outcomes).sum(0)
    low = (spread(problem.low, values, players) for values in (games, points))
    high = (spread(problem.high, values, players) for values in (games, games - points))
    played, won = (one + two for one, two in zip(low, high, strict=True))
    return played, won
