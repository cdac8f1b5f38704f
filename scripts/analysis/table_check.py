"""Spot checks of endgame tables: random positions, proven again by a search from small tables."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from mancala.engine import tablebase
from mancala.engine.kernels import state
from mancala.engine.search.solver import Solver
from mancala.protocol.rules import Board, Rules

if TYPE_CHECKING:
    from mancala.engine.kernels.state import ExactTables

REFERENCE_SEEDS: Final = 14
"""Tables that the search knows: of few seeds, and computed anew."""
TABLE_BITS: Final = 16


class Checked(NamedTuple):
    """A position, and both values."""

    board: Board
    in_tables: int
    proven: int


def check_at_random(
    rules: Rules, tables: ExactTables, samples: int, rng: random.Random
) -> Iterator[Checked]:
    """Look up random positions, all equally likely, and prove each of them."""
    few = tablebase.build(state.variant(rules), min(REFERENCE_SEEDS, tables.seeds))
    solver = Solver(rules, tables=few, table_bits=TABLE_BITS)
    for _ in range(samples):
        board = random_position(rules, tables.seeds, rng)
        *_, solution = solver.solve(board)
        yield Checked(board, tablebase.value_of(board, tables), solution.value.low)


def random_position(rules: Rules, seeds: int, rng: random.Random) -> Board:
    """Return a position of at most ``seeds`` seeds whose rows both hold some, all equally likely.

    Stars and bars: the bars between the pits, and before the seeds that are left out.
    """
    pits = 2 * rules.pits
    while True:
        bars = sorted(rng.sample(range(seeds + pits), pits))
        counts = [after - before - 1 for before, after in zip([-1, *bars], bars, strict=False)]
        rows = tuple(counts[: rules.pits]), tuple(counts[rules.pits :])
        if all(map(any, rows)):
            return Board(rules, rows, (0, 0))
