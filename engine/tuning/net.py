"""Training the net of the evaluation: labels by short searches, then gradient descent in numpy.

The net learns what the weighted features leave unexplained. It has twenty thousand weights, so it
needs more positions than can be proven: `label` searches each for a few hundred nodes, with the
weighted features as evaluation and large endgame tables. On positions of 23 to 35 seeds such a
label is 1.9 seeds off (root mean square) where the features alone are 4.3 off, and errors of single
labels average out.

Training is plain: mean squared error, Adam (Kingma and Ba, 2015), the learning rate falling along a
half cosine to nothing. Each place of a position (a pit, a threat) selects one row of weights, so a
batch is a matrix of zeros and ones. At the end weights are rounded to the whole numbers that the
kernels add up. Positions, their order and the first weights come from the seed. Sums of floats
depend on the machine's linear algebra, so another machine makes an equally good net, not the same.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Final

import numpy as np

from mancala.engine import kernels
from mancala.engine.evaluation.weights import UNITS_A_SEED, Net, Weights
from mancala.engine.kernels import layout, state
from mancala.engine.tuning.fit import HELD_OUT, EvaluationError, LabelledPosition, Reach, samples
from mancala.protocol.rules import KALAH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mancala.engine.search.fixed_nodes import FixedNodeSearch
    from mancala.protocol.rules import Board

    Floats = NDArray[np.float32]
    Indices = NDArray[np.int64]
    Parameters = tuple[Floats, Floats, Floats]

LABEL_NODES: Final = 600
"""Nodes of the search that labels a position."""
ANY: Final = Reach(14, 72)
"""Seeds of the positions that a net is trained on: also of those that tables hold."""
BANDS: Final = ((14, 22), (23, 29), (30, 35), (36, 47), (48, 59), (60, 72))
"""Bands in which errors are reported, seeds."""

ROWS: Final = sum(state.NET_PLACES)
FIRSTS: Final = np.cumsum((0, *state.NET_PLACES[:-1]))
"""The first row of each place."""
EPOCHS: Final = 20
BATCH: Final = 1024
RATE: Final = 0.01
WARM_UP: Final = 0.01
"""Share of the steps in which the learning rate rises from nothing."""
SEEDS: Final = 16.0
"""Seeds that one unit of the float net's value stands for."""
GRAIN: Final = 256
"""Whole numbers to one unit of the first layer."""
RARE: Final = 30
"""A count seen less often weighs as the next smaller one."""


def batch(seed: int, number: int, size: int, search: FixedNodeSearch) -> list[LabelledPosition]:
    """Make one batch of labelled positions, which depends on the search as well."""
    rng = Random(f"{seed}/net/{number}")  # noqa: S311  # games need no cryptography
    search.forget()
    return label(islice(samples(rng, ANY), size), search)


def label(boards: Iterable[Board], search: FixedNodeSearch) -> list[LabelledPosition]:
    """Search boards with empty stores; those that take more than the nodes are left out."""
    values = ((board.text, search.choose(board).value) for board in boards)
    return [LabelledPosition(text, value) for text, value in values if value is not None]


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the net sees of positions, and what it should say.

    Attributes:
        rows: i16[n, places]: the row of the first layer that each place selects.
        linear: f32[n]: what the weighted features say, seeds.
        values: f32[n]: value-to-go, seeds.
        seeds: i64[n]: seeds in the pits.
        held: bool[n]: kept from the training.
    """

    rows: NDArray[np.int16]
    linear: Floats
    values: Floats
    seeds: Indices
    held: NDArray[np.bool_]


def inputs_of(examples: Sequence[LabelledPosition], weights: Weights) -> Inputs:
    """Look at positions as the net does; ``weights`` are those of the features."""
    texts = [example.board for example in examples]
    counts = np.array([text[1:-1].split(",")[3:] for text in texts], dtype=np.int64)
    threats = _threats(counts)
    cases = np.hstack([counts, threats])
    rows = FIRSTS + np.minimum(cases, np.array(state.NET_PLACES) - 1)
    return Inputs(
        rows=rows.astype(np.int16),
        linear=_linear(counts, threats, weights),
        values=np.array([example.value for example in examples], dtype=np.float32),
        seeds=counts.sum(axis=1),
        held=np.array([zlib.crc32(text.encode()) % HELD_OUT == 0 for text in texts]),
    )


def train(inputs: Inputs, *, seed: int, epoch_done: Callable[[int], None]) -> Net:
    """Train a net on the positions that are not held out.

    Args:
        inputs: the positions.
        seed: seeds the first weights and the order of positions.
        epoch_done: called with the number of epochs that are done.
    """
    rng = np.random.default_rng(seed)
    seen = np.flatnonzero(~inputs.held)
    goal = (inputs.values - inputs.linear) / SEEDS
    net = _first(rng)
    adam = _Adam(net)
    size = min(BATCH, len(seen))
    steps = EPOCHS * (len(seen) // size)
    for epoch in range(EPOCHS):
        order = rng.permutation(seen)
        for first in range(0, len(order) - size + 1, size):
            chosen = order[first : first + size]
            adam.step(_gradient(net, _dense(inputs.rows[chosen]), goal[chosen]), _rate(adam, steps))
        epoch_done(epoch + 1)
    return _whole(net, np.bincount(inputs.rows[seen].ravel(), minlength=ROWS))


def estimates(inputs: Inputs, net: Net | None) -> Floats:
    """Evaluate positions as the kernels do, in seeds; without a net, by the features alone."""
    values = inputs.linear.copy()
    if net is not None:
        first, out = np.array(net.rows, dtype=np.int32), np.array(net.out, dtype=np.int32)
        hidden = np.zeros((len(values), state.NET_HIDDEN), dtype=np.int32)
        for place in inputs.rows.T:
            hidden += first[place]
        values += ((np.maximum(hidden, 0) @ out) >> state.NET_SHIFT) / np.float32(UNITS_A_SEED)
    return np.asarray(np.clip(values, -inputs.seeds, inputs.seeds), dtype=np.float32)


def errors_by_seeds(inputs: Inputs, net: Net | None) -> dict[str, EvaluationError]:
    """Measure a net on the positions held out, a band of seeds at a time, then on all."""
    found = estimates(inputs, net)
    errors = {}
    for low, high in (*BANDS, (0, 255)):
        chosen = inputs.held & (inputs.seeds >= low) & (inputs.seeds <= high)
        if chosen.any():
            name = "all" if not low else f"{low}-{high}"
            errors[name] = _error(found[chosen], inputs.values[chosen])
    return errors


def _error(found: Floats, values: Floats) -> EvaluationError:
    squares, variance = float(((found - values) ** 2).mean()), float(values.var())
    explained = 1 - squares / variance if variance else 0.0
    return EvaluationError(len(values), round(squares**0.5, 4), round(explained, 4))


def _threats(counts: Indices) -> Indices:
    """Return chain, capture and chain capture of both sides, i64[n, 6]."""
    pits = state.NET_PITS
    positions = [layout.position(tuple(row[:pits]), tuple(row[pits:])) for row in counts.tolist()]
    found = np.zeros(6 * len(counts), dtype=np.int64)
    kernels.count_threats(state.variant(KALAH), np.concatenate(positions), found)
    return found.reshape(-1, 6)


def _linear(counts: Indices, threats: Indices, weights: Weights) -> Floats:
    """Evaluate by single pits and threats, without the pairs that the net replaces."""
    table = weights.linear.compiled(KALAH).astype(np.int64)
    places = np.arange(2 * state.NET_PITS)
    firsts = places % state.NET_PITS * state.W_COUNTS + places // state.NET_PITS * state.W_OTHER
    value = table[firsts + np.minimum(counts, state.W_COUNTS - 1)].sum(axis=1)
    value += threats @ table[state.W_TEMPO + 1 : state.W_TEMPO + 7] + table[state.W_TEMPO]
    return np.asarray(value / UNITS_A_SEED, dtype=np.float32)


def _first(rng: np.random.Generator) -> Parameters:
    """Return weights to begin with: of the rows, of the bias, of the output."""
    rows = rng.standard_normal((ROWS, state.NET_HIDDEN)) * 0.5 / len(state.NET_PLACES) ** 0.5
    out = rng.standard_normal(state.NET_HIDDEN) * (2 / state.NET_HIDDEN) ** 0.5
    bias = np.full(state.NET_HIDDEN, 0.3, dtype=np.float32)
    return rows.astype(np.float32), bias, out.astype(np.float32)


def _dense(rows: NDArray[np.int16]) -> Floats:
    """Return a one in each selected row: f32[n, rows]."""
    dense = np.zeros((len(rows), ROWS), dtype=np.float32)
    dense[np.arange(len(rows))[:, None], rows] = 1
    return dense


def _gradient(net: Parameters, dense: Floats, goal: Floats) -> Parameters:
    """Return the gradient of the mean squared error."""
    rows, bias, out = net
    hidden = np.maximum(dense @ rows + bias, 0)
    error = (2 / np.float32(len(goal))) * (hidden @ out - goal)
    back = np.where(hidden > 0, error[:, None] * out, np.float32(0))
    return dense.T @ back, back.sum(axis=0), error @ hidden


def _rate(adam: _Adam, steps: int) -> float:
    """Return the learning rate of the next step."""
    done = adam.steps / steps
    return (
        RATE
        * min(1.0, (adam.steps + 1) / (WARM_UP * steps))
        * 0.5
        * (1 + float(np.cos(np.pi * done)))
    )


class _Adam:
    """Steps along a running mean of the gradient, scaled by that of its squares."""

    MEAN, SQUARES, LEAST = 0.9, 0.999, 1e-8

    def __init__(self, net: Parameters) -> None:
        self.steps = 0
        self._net = net
        self._means = [np.zeros_like(part) for part in net]
        self._squares = [np.zeros_like(part) for part in net]

    def step(self, gradient: Parameters, rate: float) -> None:
        """Move the weights against the gradient, in place."""
        self.steps += 1
        unbiased = (1 - self.SQUARES**self.steps) ** 0.5 / (1 - self.MEAN**self.steps)
        for at, slope in enumerate(gradient):
            mean, square = self._means[at], self._squares[at]
            mean += (1 - self.MEAN) * (slope - mean)
            square += (1 - self.SQUARES) * (slope * slope - square)
            step = np.float32(rate * unbiased) * mean
            step /= np.sqrt(square) + np.float32(self.LEAST)
            np.subtract(self._net[at], step, out=self._net[at])


def _whole(net: Parameters, seen: Indices) -> Net:
    """Round the weights to the kernels' numbers; the bias goes into the rows of the first place."""
    rows, bias, out = (part.astype(np.float64) for part in net)
    for first, size in zip(FIRSTS, state.NET_PLACES, strict=True):
        for row in range(first + 1, first + size):
            if seen[row] < RARE:
                rows[row] = rows[row - 1]
    rows[: state.NET_PLACES[0]] += bias
    scale = SEEDS * UNITS_A_SEED * (1 << state.NET_SHIFT) / GRAIN
    return Net(
        tuple(map(tuple, np.rint(rows * GRAIN).astype(np.int64).tolist())),
        tuple(np.rint(out * scale).astype(np.int64).tolist()),
    )
