"""Training the net of the evaluation: labels by short searches, then gradient descent in numpy.

The net learns what the weighted features leave unexplained. It has twenty thousand weights, so it
needs more positions than can be proven: `label` searches each for a few hundred nodes, with the
weighted features as evaluation and large endgame tables. On positions of 23 to 35 seeds such a
label is 1.9 seeds off (root mean square) where the features alone are 4.3 off, and errors of single
labels average out. The net that comes of it labels the positions once more, by longer searches.

Training is plain: mean squared error, Adam (Kingma and Ba, 2015), the learning rate falling along a
half cosine to nothing. Each place of a position (a pit, a threat) selects one row of weights, so a
batch is a matrix of zeros and ones. At the end weights are rounded to the whole numbers that the
kernels add up. Positions, their order and the first weights come from the seed. Sums of floats
depend on the machine's linear algebra, so another machine makes an equally good net, not the same.

There are two kinds of net: of rows of six pits, and one for rows of any length, whose positions are
those of many widths. Both are trained alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mancala.protocol.rules import KALAH, MAX_SEEDS_IN_ALL, Board, Rules

from .. import kernels
from ..evaluation.weights import UNITS_A_SEED, Net, Weights
from ..kernels import layout, state
from ..kernels.layout import Words
from ..search.fixed_nodes import FixedNodeSearch
from .fit import EvaluationError, LabelledPosition, Reach, held_out, measured, samples

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]
Parameters = tuple[Floats, Floats, Floats]
Searches = Callable[[Rules], FixedNodeSearch]

LABEL_NODES: Final = 600
"""Nodes of the search that labels a position without a net."""
NET_NODES: Final = 2000
"""The same with a net."""
WIDE_NODES: Final = 1500
"""The same for positions of many widths, most of which are far from an end."""
ANY: Final = Reach(14, 72)
"""Seeds of the positions that a net is trained on: also of those that tables hold."""
BANDS: Final = ((14, 22), (23, 29), (30, 35), (36, 47), (48, 59), (60, 72), (73, 110), (111, 255))
"""Bands in which errors are reported, seeds."""

WIDTHS: Final = (4, 5, 7, 7, 8, 8, 8, 9, 9, 10, 10, 10, 11, 11, 12, 12, 14, 16)
"""Pits a row of the positions that the net for any width is trained on."""
MOST_A_PIT: Final = 12
WIDE_STARTS: Final = tuple(
    Rules(pits=pits, seeds=seeds)
    for pits in WIDTHS
    for seeds in range(3, min(MOST_A_PIT, MAX_SEEDS_IN_ALL // (2 * pits)) + 1)
)
WIDE: Final = Reach(10, MAX_SEEDS_IN_ALL)
"""Seeds of those positions."""
NO_NET: Final = Net(((0,) * state.NET_HIDDEN,) * sum(state.SHARED_PLACES), (0,) * state.NET_HIDDEN)
"""A net for any width that adds nothing: with it the kernels count threats as that net does."""
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


def wide_batch(seed: int, number: int, size: int, searches: Searches) -> list[LabelledPosition]:
    """Make one batch of labelled positions of many widths; ``searches`` has one for each rules."""
    rng = Random(f"{seed}/wide/{number}")  # noqa: S311  # games need no cryptography
    examples: list[LabelledPosition] = []
    for board in islice(samples(rng, WIDE, WIDE_STARTS), size):
        examples += label([board], searches(Rules(pits=board.rules.pits)))
    return examples


def label_nodes(guide: Weights) -> int:
    """Return the nodes of a search that labels a position of six pits, guided by weights."""
    return LABEL_NODES if guide.net is None else NET_NODES


def label(boards: Iterable[Board], search: FixedNodeSearch) -> list[LabelledPosition]:
    """Search boards with empty stores; those that take more than the nodes are left out."""
    values = ((board.text, search.choose(board).value) for board in boards)
    return [LabelledPosition(text, value) for text, value in values if value is not None]


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the net sees of positions, and what it should say.

    ``rows`` (i16[n, places]) are those of the first layer that each place selects, of as many as
    ``places`` says; ``linear`` (f32[n]) is what the weighted features say, in seeds; ``values``
    (f32[n]) the value-to-go in seeds; ``seeds`` (i64[n]) those in the pits; ``held`` (bool[n]) what
    is kept from the training.
    """

    rows: NDArray[np.int16]
    linear: Floats
    values: Floats
    seeds: Indices
    held: NDArray[np.bool_]
    places: tuple[int, ...]

    @property
    def firsts(self) -> Indices:
        return np.cumsum((0, *self.places[:-1]))

    @property
    def rows_in_all(self) -> int:
        return sum(self.places)


def inputs_of(examples: Sequence[LabelledPosition], weights: Weights) -> Inputs:
    """Look at positions of six pits as the net does; ``weights`` are those of the features."""
    texts = [example.board for example in examples]
    counts = np.array([text[1:-1].split(",")[3:] for text in texts], dtype=np.int64)
    threats = _threats(counts, KALAH, shared=False)
    linear = _linear(counts, KALAH, replace(weights, net=None, pairs=()))
    return _inputs(examples, np.hstack([counts, threats]), linear, state.NET_PLACES)


def wide_inputs_of(examples: Sequence[LabelledPosition], weights: Weights) -> Inputs:
    """Look at positions of any width as their net does; ``weights`` are those of the features."""
    rows = [text[1:-1].split(",") for text in (example.board for example in examples)]
    widths = np.array([row[0] for row in rows], dtype=np.int64)
    cases = np.zeros((len(rows), len(state.SHARED_PLACES)), dtype=np.int64)
    linear = np.zeros(len(rows), dtype=np.float32)
    features = replace(weights, net=NO_NET)
    for pits in np.unique(widths).tolist():
        chosen, rules = np.flatnonzero(widths == pits), Rules(pits=pits)
        counts = np.array([rows[at][3:] for at in chosen], dtype=np.int64)
        cases[chosen] = _by_distance(counts, _threats(counts, rules, shared=True), pits)
        linear[chosen] = _linear(counts, rules, features)
    return _inputs(examples, cases, linear, state.SHARED_PLACES)


def _by_distance(counts: Indices, threats: Indices, pits: int) -> Indices:
    """Return the cases of the places of the net for any width."""
    absent = np.zeros((len(counts), state.SHARED_LANES - pits), dtype=np.int64)
    mine, theirs = counts[:, :pits][:, ::-1], counts[:, pits:][:, ::-1]
    width = np.full((len(counts), 1), pits)
    return np.hstack([mine, absent, theirs, absent, threats, width])


def _inputs(
    examples: Sequence[LabelledPosition], cases: Indices, linear: Floats, places: tuple[int, ...]
) -> Inputs:
    rows = np.cumsum((0, *places[:-1])) + np.minimum(cases, np.array(places) - 1)
    pits = np.array([example.board[1:-1].split(",", 3)[3] for example in examples])
    return Inputs(
        rows=rows.astype(np.int16),
        linear=linear,
        values=np.array([example.value for example in examples], dtype=np.float32),
        seeds=np.array([sum(map(int, text.split(","))) for text in pits]),
        held=held_out(examples),
        places=places,
    )


def train(inputs: Inputs, *, seed: int, epoch_done: Callable[[int], None]) -> Net:
    """Train a net on the positions that are not held out; report the epochs that are done."""
    rng = np.random.default_rng(seed)
    seen = np.flatnonzero(~inputs.held)
    goal = (inputs.values - inputs.linear) / SEEDS
    net = _first(rng, inputs)
    adam = _Adam(net)
    size = min(BATCH, len(seen))
    steps = EPOCHS * (len(seen) // size)
    for epoch in range(EPOCHS):
        order = rng.permutation(seen)
        for first in range(0, len(order) - size + 1, size):
            chosen = order[first : first + size]
            dense = _dense(inputs.rows[chosen], inputs.rows_in_all)
            adam.step(_gradient(net, dense, goal[chosen]), _rate(adam, steps))
        epoch_done(epoch + 1)
    return _whole(net, inputs, seen)


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
            errors[name] = measured(found[chosen], inputs.values[chosen])
    return errors


def _threats(counts: Indices, rules: Rules, *, shared: bool) -> Indices:
    """Return chain, capture and chain capture of both sides, i64[n, 6]."""
    found = np.zeros(6 * len(counts), dtype=np.int64)
    kernels.count_threats(state.variant(rules), shared, _positions(counts), found)
    return found.reshape(-1, 6)


def _linear(counts: Indices, rules: Rules, weights: Weights) -> Floats:
    """Return what the features alone say, in seeds."""
    found = np.zeros(len(counts), dtype=np.int64)
    compiled = weights.compiled(rules)
    kernels.estimates_of(state.variant(rules), compiled, _positions(counts), found)
    return np.asarray(found / UNITS_A_SEED, dtype=np.float32)


def _positions(counts: Indices) -> Words:
    """Return positions as words, u64[4 n], from the seeds in all pits, the mover's first."""
    pits = counts.shape[1] // 2
    return np.concatenate(
        [layout.position(tuple(row[:pits]), tuple(row[pits:])) for row in counts.tolist()]
    )


def _first(rng: np.random.Generator, inputs: Inputs) -> Parameters:
    """Return weights to begin with: of the rows, of the bias, of the output."""
    shape = inputs.rows_in_all, state.NET_HIDDEN
    rows = rng.standard_normal(shape) * 0.5 / len(inputs.places) ** 0.5
    out = rng.standard_normal(state.NET_HIDDEN) * (2 / state.NET_HIDDEN) ** 0.5
    bias = np.full(state.NET_HIDDEN, 0.3, dtype=np.float32)
    return rows.astype(np.float32), bias, out.astype(np.float32)


def _dense(rows: NDArray[np.int16], width: int) -> Floats:
    dense = np.zeros((len(rows), width), dtype=np.float32)
    dense[np.arange(len(rows))[:, None], rows] = 1
    return dense


def _gradient(net: Parameters, dense: Floats, goal: Floats) -> Parameters:
    rows, bias, out = net
    hidden = np.maximum(dense @ rows + bias, 0)
    slope = (2 / np.float32(len(goal))) * (hidden @ out - goal)
    back = np.where(hidden > 0, slope[:, None] * out, np.float32(0))
    return dense.T @ back, back.sum(axis=0), slope @ hidden


def _rate(adam: _Adam, steps: int) -> float:
    rising = min(1.0, (adam.steps + 1) / (WARM_UP * steps))
    return RATE * rising * 0.5 * (1 + float(np.cos(np.pi * adam.steps / steps)))


class _Adam:
    """Steps along a running mean of the gradient, scaled by that of its squares."""

    MEAN, SQUARES, LEAST = 0.9, 0.999, 1e-8

    def __init__(self, net: Parameters) -> None:
        self.steps = 0
        self._net = net
        self._means = [np.zeros_like(part) for part in net]
        self._squares = [np.zeros_like(part) for part in net]

    def step(self, gradient: Parameters, rate: float) -> None:
        self.steps += 1
        unbiased = (1 - self.SQUARES**self.steps) ** 0.5 / (1 - self.MEAN**self.steps)
        for at, slope in enumerate(gradient):
            mean, square = self._means[at], self._squares[at]
            mean += (1 - self.MEAN) * (slope - mean)
            square += (1 - self.SQUARES) * (slope * slope - square)
            step = np.float32(rate * unbiased) * mean
            step /= np.sqrt(square) + np.float32(self.LEAST)
            np.subtract(self._net[at], step, out=self._net[at])


def _whole(net: Parameters, inputs: Inputs, chosen: Indices) -> Net:
    """Round the weights to the kernels' numbers.

    A count seen rarely weighs as the next smaller one; the bias goes into the rows of a place.
    """
    rows, bias, out = (part.astype(np.float64) for part in net)
    seen = np.bincount(inputs.rows[chosen].ravel(), minlength=inputs.rows_in_all)
    for first, size in zip(inputs.firsts, inputs.places, strict=True):
        for row in range(first + 1, first + size):
            if seen[row] < RARE:
                rows[row] = rows[row - 1]
    rows[: inputs.places[0]] += bias
    scale = SEEDS * UNITS_A_SEED * (1 << state.NET_SHIFT) / GRAIN
    return Net(
        tuple(map(tuple, np.rint(rows * GRAIN).astype(np.int64).tolist())),
        tuple(np.rint(out * scale).astype(np.int64).tolist()),
    )
