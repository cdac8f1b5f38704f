"""Positions with proven values, made from a seed, so that no player can know them by heart.

A position is reached by random sowings from the usual start. It is taken when the mover has at
least three moves, not all of the same value, and the solver proves them within `MOST_NODES`. It
depends on the seed and its number alone, on every machine.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from mancala.protocol.rules import KALAH, Board

if TYPE_CHECKING:
    from mancala.engine.search.solver import Solver

MOST_NODES: Final = 20_000_000
FEWEST_MOVES: Final = 3
TABLE_BITS: Final = 20


class PositionPhase(NamedTuple):
    """A part of the game, by the seeds left in the pits."""

    name: str
    fewest: int
    most: int


PHASES: Final = (
    PositionPhase("early", 34, 38),
    PositionPhase("middle", 26, 33),
    PositionPhase("late", 16, 25),
)


class ProvenPosition(NamedTuple):
    """A position and what its moves are worth.

    Attributes:
        number: its place among the positions of its seed.
        phase: the name of its phase.
        board: its text, the mover first.
        values: proven store difference at the end for the mover, by pit.
    """

    number: int
    phase: str
    board: str
    values: dict[int, int]

    def loss(self, pit: int | None) -> int:
        """Return the seeds that a move loses; None stands for no answer, the worst move."""
        value = min(self.values.values()) if pit is None else self.values[pit]
        return max(self.values.values()) - value


def make_position(seed: int, number: int) -> ProvenPosition:
    """Return a position of a seed; the phases take turns."""
    phase = PHASES[number % len(PHASES)]
    rng = Random(f"{seed} {number}")  # noqa: S311  # games need no cryptography
    while True:
        board = _random_board(phase, rng)
        values = _proven(board)
        if values is not None and len(set(values.values())) > 1:
            return ProvenPosition(number, phase.name, board.text, values)


def _random_board(phase: PositionPhase, rng: Random) -> Board:
    while True:
        board, seeds = Board.start(KALAH), rng.randint(phase.fewest, phase.most)
        while not board.is_over and board.in_play > seeds:
            board = board.sow(rng.choice(board.legal())).board
        is_wanted = board.in_play >= phase.fewest and len(board.legal()) >= FEWEST_MOVES
        if is_wanted and not board.is_over:
            return Board.from_text(board.text, KALAH)


def _proven(board: Board) -> dict[int, int] | None:
    """Return the value of each move; None when the proof takes too long."""
    for solution in _solver().solve(board, every_move=True):
        if all(bounds.exact for bounds in solution.moves.values()):
            return {pit: bounds.low for pit, bounds in solution.moves.items()}
        if solution.nodes > MOST_NODES:
            return None
    return None


@cache
def _solver() -> Solver:
    from mancala.engine.search.engine import tables_for
    from mancala.engine.search.solver import Solver
    from mancala.engine.tablebase import default_seeds

    tables = tables_for(KALAH, seeds=default_seeds(KALAH.pits))
    return Solver(KALAH, tables=tables, table_bits=TABLE_BITS)
