"""Positions with what each of their moves is worth, as arrays: data to learn from, or to test with.

Positions come by in games of mixed quality (`mancala.engine.tuning.fit.samples`), an equal number
for each number of seeds in play. Their stores are empty, so a value is what the mover still gains
on the other player. A solver proves each move; where that takes too many nodes, bounds are kept.

What a shard holds follows from its seed and number, and the size of the endgame tables: each one
begins with a solver that has proven nothing yet.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from mancala.protocol.rules import MAX_SEEDS_IN_ALL, Board, Rules

from .kernels.state import ExactTables
from .search.solver import Solution, Solver
from .tuning.fit import Reach, samples

FEWEST_SEEDS: Final = 2
MORE_SEEDS: Final = 2
"""Games also begin with up to as many more seeds in each pit, so that positions differ more."""
TABLE_BITS: Final = 18
COLUMNS: Final = {
    "pits": "seeds in each pit: the mover's row, then the other's, each in sowing direction",
    "legal": "whether the mover may sow the pit",
    "low": "the least that sowing the pit is worth, in seeds for the mover; 0 where it is illegal",
    "high": "the most that it is worth; equal to `low` where the value is proven",
    "nodes": "positions that the proof visited: how hard the position is",
}
"""The columns of a shard, and what they mean."""


class DatasetPlan(Struct, frozen=True):
    """What decides the positions of a data set.

    Attributes:
        rules: what is played; without majority, which depends on the stores.
        seed: seeds the games, together with a shard's number.
        positions: number of positions.
        shard: positions in a file; the last one may hold fewer.
        fewest: the fewest seeds in play.
        most: the most seeds in play.
        most_nodes: nodes after which a position's proof ends with bounds.
        tables: the most seeds in the endgame tables of the proofs.
    """

    rules: Rules
    seed: int
    positions: int
    shard: int
    fewest: int
    most: int
    most_nodes: int
    tables: int

    @property
    def reach(self) -> Reach:
        """The fewest and the most seeds in play."""
        return Reach(self.fewest, self.most)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Positions of each shard."""
        return tuple(
            min(self.shard, self.positions - first)
            for first in range(0, self.positions, self.shard)
        )


def starts_of(rules: Rules) -> tuple[Rules, ...]:
    """Return the rules that the games of a data set begin from."""
    most = MAX_SEEDS_IN_ALL // (2 * rules.pits)
    seeds = range(rules.seeds, min(rules.seeds + MORE_SEEDS, most) + 1)
    return tuple(replace(rules, seeds=count) for count in seeds)


def check(plan: DatasetPlan) -> None:
    """Check that there are such positions; ValueError when there are none."""
    most = max(Board.start(start).total for start in starts_of(plan.rules))
    if plan.rules.majority:
        raise ValueError("under majority a value depends on the stores; choose other rules")
    if not FEWEST_SEEDS <= plan.fewest <= plan.most <= most:
        raise ValueError(f"seeds in play are {FEWEST_SEEDS} to {most} here, the fewest first")


def make_shard(plan: DatasetPlan, number: int, tables: ExactTables) -> NDArray[Any]:
    """Return the positions of a shard as records with the fields `COLUMNS`."""
    rng = Random(f"{plan.seed}/data/{number}")  # noqa: S311  # games need no cryptography
    solver = Solver(plan.rules, tables=tables, table_bits=TABLE_BITS)
    shard = np.zeros(plan.sizes[number], dtype=record(plan.rules.pits))
    for at, board in enumerate(_positions(plan, len(shard), rng)):
        shard[at] = _row(board, _solve(board, solver, plan.most_nodes))
    return shard


def is_exact(shard: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which positions have a proven value for each move, bool[n]."""
    return np.asarray((shard["low"] == shard["high"]).all(axis=1))


def best_pits(shard: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which pits are best, bool[n, pits]; meant for positions that are exact."""
    values = np.where(shard["legal"], shard["low"], np.iinfo(np.int16).min)
    return np.asarray(shard["legal"] & (values == values.max(axis=1, keepdims=True)))


def record(pits: int) -> np.dtype[Any]:
    """Return the layout of a position's record, by the pits of a row."""
    return np.dtype(
        [
            ("pits", "u1", (2, pits)),
            ("legal", "?", (pits,)),
            ("low", "<i2", (pits,)),
            ("high", "<i2", (pits,)),
            ("nodes", "<i8"),
        ]
    )


def _positions(plan: DatasetPlan, size: int, rng: Random) -> Iterator[Board]:
    """Take positions of games, an equal number for each number of seeds in play."""
    kinds = plan.most - plan.fewest + 1
    wanted = Counter(plan.fewest + at % kinds for at in range(size))
    boards = samples(rng, plan.reach, starts_of(plan.rules))
    while wanted.total():
        board = next(boards)
        if wanted[board.in_play]:
            wanted[board.in_play] -= 1
            yield board


def _solve(board: Board, solver: Solver, most_nodes: int) -> Solution:
    """Return what is proven of each move within a number of nodes."""
    for solution in solver.solve(board, every_move=True):
        if solution.nodes >= most_nodes:
            break
    return solution


def _row(board: Board, solution: Solution) -> tuple[Any, ...]:
    pits = range(board.rules.pits)
    moves = solution.moves
    return (
        board.pits,
        [pit in moves for pit in pits],
        [moves[pit].low if pit in moves else 0 for pit in pits],
        [moves[pit].high if pit in moves else 0 for pit in pits],
        solution.nodes,
    )
