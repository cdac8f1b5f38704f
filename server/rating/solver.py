"""Linear equations with the curvature of a fit, for any number of players.

Time and memory grow with the players and the pairs that have met, not with the square of the
players. Among the ratings the curvature is the Laplacian of a graph with an edge for each pair,
plus the prior: it is never built, only multiplied with vectors. Conjugate gradients solve the
equations. Their preconditioner is the diagonal, and the exact solution for ratings that move by
groups of neighbours in strength: ladders pair neighbours, so what converges slowly are the long
waves.

The diagonal of the inverse, which a large fit can't invert, is estimated by Hutchinson's method:
for a vector ``z`` of random signs the expectation of ``z * (H⁻¹ z)`` is the diagonal of ``H⁻¹``
(Bekas, Kokiopoulou and Saad, "An estimator for the diagonal of a matrix", 2007). Parts whose
diagonal is known are taken out of the estimate first, because they hold most of its noise: the
inverse for moves by groups, and the first two terms of the Neumann series, ``D⁻¹ + D⁻¹ A D⁻¹`` for
``H = D - A``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from .equations import Counts, Curvature, FitProblem, Floats, blocks, spread

_MOST_ROUNDS: Final = 2000  # of conjugate gradients; a hundred are many
_GROUPS: Final = 256
_PROBES: Final = 12


class Coarse(NamedTuple):
    """The curvature and its inverse for ratings that move by groups of neighbours in strength."""

    group: Counts  # (players,)
    matrix: Floats  # (groups + 1, groups + 1)
    inverse: Floats  # (groups + 1, groups + 1)

    def times(self, vector: Floats) -> Floats:
        """Multiply the inverse with a vector of all parameters."""
        sums = np.bincount(self.group, vector[:-1], len(self.inverse) - 1)
        moves = np.einsum("ij,j->i", self.inverse, np.append(sums, vector[-1]))
        return np.append(moves[self.group], moves[-1])

    def diagonal(self) -> Floats:
        """Return the inverse's diagonal, for all parameters."""
        diagonal = self.inverse.diagonal()
        return np.append(diagonal[self.group], diagonal[-1])


class CurvatureSolver(NamedTuple):
    """Solves equations with the curvature of one point."""

    problem: FitProblem
    curvature: Curvature
    coarse: Coarse
    scale: Floats  # (parameters,): 1 / diagonal, 0 for an anchor

    @classmethod
    def at(
        cls, problem: FitProblem, curvature: Curvature, point: Floats, known: Coarse | None = None
    ) -> CurvatureSolver:
        """Return the solver at a point; moves by groups that are known nearby serve as well."""
        coarse = known or _coarse(problem, curvature, point)
        return cls(problem, curvature, coarse, problem.free / curvature.diagonal)

    def times(self, vector: Floats) -> Floats:
        """Multiply the curvature with a vector that is 0 for each anchor."""
        return multiplied(self.problem, self.curvature, vector)

    def solve(self, target: Floats, precision: float) -> Floats:
        """Solve an equation by conjugate gradients; the target is 0 for each anchor."""
        solution, rest = np.zeros_like(target), target
        direction = scaled = self._precondition(rest)
        size = dot(rest, scaled)
        enough = size * precision**2
        for _ in range(_MOST_ROUNDS):
            if size <= enough:
                break
            product = self.times(direction)
            length = size / dot(direction, product)
            solution = solution + length * direction
            rest = rest - length * product
            scaled = self._precondition(rest)
            size, before = dot(rest, scaled), size
            direction = scaled + size / before * direction
        return solution

    def inverse_diagonal(self) -> Floats:
        """Return an estimate of the inverse's diagonal; none is less than ``1 / diagonal``."""
        coarse, scale, free = self.coarse, self.scale, self.problem.free
        held = self._held_twice()
        signs = np.random.default_rng(scale.size)
        sums = np.zeros_like(scale)
        for _ in range(_PROBES):
            probe = free * np.append(signs.choice([-1.0, 1.0], scale.size - 1), 0.0)
            first = scale * probe
            series = first + scale * (probe - self.times(first))
            known = free * coarse.times(probe) + series - held.times(probe)
            sums += probe * (self.solve(probe, 1e-2) - known)
        estimate = sums / _PROBES + free * (coarse.diagonal() - held.diagonal()) + scale
        return np.asarray(np.clip(estimate, scale, 1 / self.problem.precision), float)

    def _held_twice(self) -> Coarse:
        """Return what the inverse by groups and the Neumann series share: its groups' part."""
        group, matrix, _ = self.coarse
        sums = np.bincount(group, self.curvature.diagonal[:-1], len(matrix) - 1)
        scale = np.append(1 / sums, 0.0)
        common = 2 * np.diag(scale) - scale[:, None] * matrix * scale
        return Coarse(group, matrix, np.asarray(common, float))

    def _precondition(self, vector: Floats) -> Floats:
        return self.scale * vector + self.problem.free * self.coarse.times(vector)


def multiplied(problem: FitProblem, curvature: Curvature, vector: Floats) -> Floats:
    """Multiply a curvature with a vector that is 0 for each anchor."""
    ratings = vector[:-1]
    product = curvature.diagonal * vector
    for block in blocks(problem.low.size):
        low, high = problem.low[block], problem.high[block]
        weights = curvature.weights[block]
        product[:-1] -= spread(low, weights * ratings[high], ratings.size)
        product[:-1] -= spread(high, weights * ratings[low], ratings.size)
    product[:-1] += vector[-1] * curvature.border
    product[-1] += dot(curvature.border, ratings)
    return product * problem.free


def dense(problem: FitProblem, curvature: Curvature) -> Floats:
    """Return a curvature as a matrix, shape (parameters, parameters), anchors included."""
    matrix = np.diag(curvature.diagonal)
    for one, two in ((problem.low, problem.high), (problem.high, problem.low)):
        np.add.at(matrix, (one, two), -curvature.weights)
    matrix[-1, :-1] = matrix[:-1, -1] = curvature.border
    return matrix


def dot(one: Floats, two: Floats) -> float:
    """Multiply two vectors without BLAS, whose threads wait for one another on a busy machine."""
    return float((one * two).sum())


def _coarse(problem: FitProblem, curvature: Curvature, point: Floats) -> Coarse:
    """Return the curvature's inverse for ratings that move by groups."""
    players = point.size - 1
    groups = min(players, _GROUPS)
    group = np.empty(players, np.int64)
    group[np.argsort(point[:-1], kind="stable")] = np.arange(players) * groups // max(players, 1)
    free, matrix = problem.free[:-1], np.zeros((groups + 1, groups + 1))
    between = np.zeros(groups * groups)
    for block in blocks(problem.low.size):
        low, high = problem.low[block], problem.high[block]
        weights = curvature.weights[block] * free[low] * free[high]
        between += np.bincount(group[low] * groups + group[high], weights, between.size)
    matrix[:groups, :groups] = -between.reshape(groups, groups)
    matrix += matrix.T
    diagonal = np.bincount(group, curvature.diagonal[:-1] * free, groups)
    diagonal += np.bincount(group, free, groups) == 0  # a group of anchors does not move
    matrix[range(groups), range(groups)] += diagonal
    border = np.bincount(group, curvature.border * free, groups)
    matrix[-1, :groups] = matrix[:groups, -1] = border
    matrix[-1, -1] = curvature.diagonal[-1]
    return Coarse(group, matrix, np.asarray(np.linalg.inv(matrix), float))
