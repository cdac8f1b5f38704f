"""Fitting the evaluation: positions, what they are worth, their rows of numbers, a regression.

An evaluation is worth most where a search stops: in the middle of games that were played neither
badly nor perfectly. `samples` plays such games; the solver says what their positions are
worth (`label`); `fit` finds the weights whose sum comes nearest. With many seeds on the board no
position can be proven by the thousand. There a search, guided by weights that were fitted to
proofs, says what a position is worth (`label_by_search`): seen from its leaves, many plies on.

The regression is ridge: least squares, plus a price on the weights that keeps those of rare
counts near nothing. The named features cost little and the tables more, so what a name can
explain is explained by it, and a table holds what is left. The sums that go into its equations
are exact, and weights are rounded to whole units, so the same positions give the same file.

Chance comes from the seed and the number of a batch alone, and labels are proven or bounded by
nodes, so neither the number of workers nor their order shows in the result.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from random import Random
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mancala.protocol.rules import KALAH, Board, Rules

from .. import kernels
from ..evaluation.features import NAMES, RANGES
from ..evaluation.weights import UNITS_A_SEED, Weights
from ..kernels import state
from ..search.engine import Engine
from ..search.reports import Limit
from ..search.solver import Solver
from ..search.worker import position_of

Reals = NDArray[np.float64]
Estimates = NDArray[np.float32] | NDArray[np.float64]
Indices = NDArray[np.int64]

PITS: Final = KALAH.pits
STARTS: Final = tuple(Rules(pits=PITS, seeds=seeds) for seeds in (4, 5, 6))
"""What sampled games begin from."""
GREED: Final = (0.0, 0.5, 0.85)
"""How often a player of a sampled game takes the sowing that gains most."""
AGAIN_WORTH: Final = 1.5
"""Seeds that sowing again is worth to that player."""
TAKEN: Final = 0.25
"""Share of a sampled game's positions that are taken."""
HELD_OUT: Final = 10
"""One position in this many is held out of the fit, to measure it."""
NAME_PRICE: Final = 1.0
TABLE_PRICE: Final = 6.0
PAIR_PRICE: Final = 50.0
SMALL: Final = 7
"""Counts past this weigh as this in a pair."""
SINGLES: Final = 2 * PITS * state.W_COUNTS
PAIRS: Final = len(state.pairs(PITS))
TABLES: Final = SINGLES + state.W_PAIR * PAIRS
COLUMNS: Final = (
    *((place * state.W_COUNTS, state.W_COUNTS) for place in range(2 * PITS)),
    *((SINGLES + pair * state.W_PAIR, state.W_PAIR) for pair in range(PAIRS)),
)
"""Where the table of each pit, then of each pair begins, and its length."""


class Reach(NamedTuple):
    """Which positions of a game are taken: those with ``fewest`` to ``most`` seeds in the pits."""

    fewest: int
    most: int


PROVABLE: Final = Reach(17, 35)
"""Fewer are in the endgame tables, more cost too much to prove."""
CROWDED: Final = Reach(36, 72)
"""More than can be proven by the thousand, up to where a game of six seeds a pit begins."""
BANDS: Final = ((PROVABLE, 3), (CROWDED, 6))
"""Width of the bands in which errors are reported, seeds."""


class LabelledPosition(NamedTuple):
    """A position as text, its mover first, stores empty, and its value-to-go in seeds."""

    board: str
    value: float


def samples(
    rng: Random, reach: Reach = PROVABLE, starts: Sequence[Rules] = STARTS
) -> Iterator[Board]:
    """Play games of mixed quality, and take some of the positions that they come by, for ever."""
    while True:
        greed = rng.choice(GREED)
        board = Board.start(rng.choice(starts))
        while not board.is_over and board.in_play >= reach.fewest:
            if board.in_play <= reach.most and rng.random() < TAKEN:
                yield _without_stores(board)
            board = board.sow(_choice(board, rng, greed)).board


def label(boards: Iterable[Board], solver: Solver) -> list[LabelledPosition]:
    """Prove what boards with empty stores are worth."""
    examples = []
    for board in boards:
        *_, solution = solver.solve(board)
        examples.append(LabelledPosition(board.text, solution.value.low))
    return examples


def label_by_search(boards: Iterable[Board], engine: Engine, nodes: int) -> list[LabelledPosition]:
    """Search boards with empty stores for ``nodes`` nodes each, each from an empty table."""
    examples = []
    for board in boards:
        engine.forget()
        report = engine.analyse(board, Limit(nodes=nodes))
        examples.append(LabelledPosition(board.text, report.known_value))
    return examples


def batch(seed: int, number: int, size: int, solver: Solver) -> list[LabelledPosition]:
    """Make one batch of proven examples, which depends on its seed and number alone."""
    rng = Random(f"{seed}/{number}")  # noqa: S311  # games need no cryptography
    return label(islice(samples(rng), size), solver)


def searched_batch(
    seed: int, number: int, size: int, engine: Engine, nodes: int
) -> list[LabelledPosition]:
    """Make one batch of examples of many seeds, which depends on the engine as well."""
    rng = Random(f"{seed}/searched/{number}")  # noqa: S311  # games need no cryptography
    return label_by_search(islice(samples(rng, CROWDED), size), engine, nodes)


@dataclass(frozen=True, slots=True)
class FeatureRows:
    """What the evaluation sees of positions, and what they are worth.

    ``named`` (f64[n, names]) is how often each of ``NAMES`` counts; ``places`` (i64[n, 2 * pits +
    pairs]) where each pit's count and then each pair's counts stand in the tables; ``values``
    (f64[n]) the value-to-go in seeds; ``seeds`` (i64[n]) those in the pits; ``held`` (bool[n]) what
    is kept from the fit.
    """

    named: Reals
    places: Indices
    values: Reals
    seeds: Indices
    held: NDArray[np.bool_]

    def and_rows(self, others: FeatureRows) -> FeatureRows:
        names = [field.name for field in fields(self)]
        return FeatureRows(*(np.concatenate([getattr(self, n), getattr(others, n)]) for n in names))

    def part(self, chosen: NDArray[np.bool_]) -> FeatureRows:
        return FeatureRows(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def times(self, weights: Reals) -> Reals:
        """Evaluate every position, in the unit of the weights."""
        names = len(NAMES)
        tables = np.asarray(weights[names:][self.places].sum(axis=1), dtype=np.float64)
        return self.named @ weights[:names] + tables

    def normal_equations(self) -> tuple[Reals, Reals]:
        """Sum up what least squares needs to know: f64[n, n] and f64[n], n weights.

        All that is summed is whole or in small binary fractions, so the sums are exact and know
        no order.
        """
        names = len(NAMES)
        columns = self.places.T
        gram, goal = np.zeros((names + TABLES, names + TABLES)), np.zeros(names + TABLES)
        gram[:names, :names] = self.named.T @ self.named
        goal[:names] = self.named.T @ self.values
        firsts = [(names + first, size) for first, size in COLUMNS]
        within = [c - first for c, (first, _) in zip(columns, COLUMNS, strict=True)]
        for one, (first, size) in enumerate(firsts):
            rows = slice(first, first + size)
            goal[rows] = np.bincount(within[one], self.values, minlength=size)
            for name in range(names):
                sums = np.bincount(within[one], self.named[:, name], minlength=size)
                gram[rows, name] = gram[name, rows] = sums
            for two, (other, width) in enumerate(firsts[: one + 1]):
                joint = within[one] * width + within[two]
                block = np.bincount(joint, minlength=size * width).reshape(size, width)
                gram[rows, other : other + width] = block
                gram[other : other + width, rows] = block.T
        return gram, goal


def rows_of(examples: Sequence[LabelledPosition]) -> FeatureRows:
    """Look at positions as the evaluation does; what a name counts is asked of the kernels."""
    boards = [Board.from_text(example.board, KALAH) for example in examples]
    counts = np.array([board.pits[0] + board.pits[1] for board in boards], dtype=np.int64)
    return FeatureRows(
        named=_named(boards),
        places=_places(counts),
        values=np.array([example.value for example in examples], dtype=np.float64),
        seeds=counts.sum(axis=1),
        held=held_out(examples),
    )


def held_out(examples: Sequence[LabelledPosition]) -> NDArray[np.bool_]:
    """Return which positions are kept from a fit or a training, bool[n]."""
    return np.array([zlib.crc32(each.board.encode()) % HELD_OUT == 0 for each in examples])


def fit(rows: FeatureRows, *, provenance: str) -> Weights:
    """Find the weights that come nearest to the values of the rows not held out."""
    seen = rows.part(~rows.held)
    price = np.full(len(NAMES) + TABLES, TABLE_PRICE)
    price[: len(NAMES)] = NAME_PRICE
    price[len(NAMES) + SINGLES :] = PAIR_PRICE

    gram, goal = seen.normal_equations()
    gram[np.diag_indices_from(gram)] += price
    found = np.linalg.solve(gram, goal)
    return _weights(np.rint(found * UNITS_A_SEED) / UNITS_A_SEED + 0.0, provenance)


def estimates(rows: FeatureRows, weights: Weights) -> Reals:
    """Evaluate positions as the kernels do, in seeds."""
    tables = np.zeros(TABLES)
    tables[:SINGLES] = np.ravel(weights.pits) if weights.pits else 0.0
    tables[SINGLES:] = np.ravel(weights.pairs) if weights.pairs else 0.0
    values = rows.times(np.concatenate([[weights[name] for name in NAMES], tables]))
    return np.asarray(np.clip(values, -rows.seeds, rows.seeds), dtype=np.float64)


class EvaluationError(NamedTuple):
    """How far evaluations of some positions are from the truth.

    ``rms`` is the root mean square in seeds, ``explained`` the share of the values' variance (R²).
    """

    positions: int
    rms: float
    explained: float


def error(rows: FeatureRows, weights: Weights) -> EvaluationError:
    return measured(estimates(rows, weights), rows.values)


def measured(found: Estimates, values: Estimates) -> EvaluationError:
    """Measure evaluations of positions, both in seeds."""
    squares, variance = float(((found - values) ** 2).mean()), float(values.var())
    explained = 1 - squares / variance if variance else 0.0
    return EvaluationError(len(values), round(squares**0.5, 4), round(explained, 4))


def errors_by_seeds(rows: FeatureRows, weights: Weights) -> dict[str, EvaluationError]:
    """Measure weights on rows, a band of seeds at a time."""
    found, bands = estimates(rows, weights), {}
    for low, high in _bands():
        chosen = (rows.seeds >= low) & (rows.seeds <= high)
        if chosen.any():
            bands[f"{low}-{high}"] = measured(found[chosen], rows.values[chosen])
    return bands


def _bands() -> Iterator[tuple[int, int]]:
    for reach, width in BANDS:
        for low in range(reach.fewest, reach.most + 1, width):
            yield low, min(low + width - 1, reach.most)


def _choice(board: Board, rng: Random, greed: float) -> int:
    legal = board.legal()
    if rng.random() >= greed:
        return rng.choice(legal)
    me = board.player

    def gain(pit: int) -> float:
        after = board.sow(pit).board
        again = after.player == me and not after.is_over
        return after.stores[me] - board.stores[me] + AGAIN_WORTH * again

    gains = {pit: gain(pit) for pit in legal}
    most = max(gains.values())
    return rng.choice([pit for pit in legal if gains[pit] == most])


def _without_stores(board: Board) -> Board:
    """Turn a board so that player 0 moves, and empty its stores: they count for nothing here."""
    counts = ",".join(map(str, board.pits[board.player] + board.pits[1 - board.player]))
    return Board.from_text(f"<{board.rules.pits},0,0,{counts}>", board.rules)


def _places(counts: Indices) -> Indices:
    """Return the places of i64[n, 2 * pits] counts in the tables."""
    singles = np.arange(2 * PITS) * state.W_COUNTS + np.minimum(counts, state.W_COUNTS - 1)
    ones, twos = np.array(state.pairs(PITS)).T
    small = np.minimum(counts, SMALL)
    firsts = SINGLES + np.arange(len(ones)) * state.W_PAIR
    return np.hstack([singles, firsts + (SMALL + 1) * small[:, ones] + small[:, twos]])


def _named(boards: Sequence[Board]) -> Reals:
    """Count the named features: each alone weighs one unit, and the kernels evaluate."""
    columns = [_column(boards, name) for name in NAMES]
    return np.array(columns, dtype=np.float64).T


def _column(boards: Sequence[Board], name: str) -> list[int]:
    alone = dict.fromkeys(NAMES, 0.0) | {name: 1 / UNITS_A_SEED}
    search = state.new_search(KALAH, Weights(values=alone).compiled(KALAH))
    return [int(kernels.static_value(search, position_of(board))) for board in boards]


def _weights(found: Reals, provenance: str) -> Weights:
    """Name the weights that were found, each within the range that its feature has."""
    values = {
        name: min(max(float(weight), RANGES[name][0]), RANGES[name][1])
        for name, weight in zip(NAMES, found, strict=False)
    }
    tables = found[len(NAMES) :]
    singles = tables[:SINGLES].reshape(2, PITS, state.W_COUNTS)
    pits = tuple(tuple(tuple(map(float, pit)) for pit in side) for side in singles)
    pairs = tuple(tuple(map(float, pair)) for pair in tables[SINGLES:].reshape(-1, state.W_PAIR))
    return Weights(values=values, pits=pits, pairs=pairs, provenance=provenance)
