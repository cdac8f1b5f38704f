"""Positions with proven values, made from a seed, so that no player can know them by heart.

A position is reached by good play with noise: a short search chooses the sowings, and some are
random. It is taken when the mover has at least three moves, not all of the same value, which the
solver proves within `MOST_NODES`. Most positions that games come by would tell little: the pit
nearest to the store is best in half of them. So two positions of three are taken only where no rule
of thumb (`mancala.scripts.rating.baselines`) would sow a best pit, and one of these two only where
alpha-beta would not, either.

A position depends on the seed and its number alone, on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

from mancala.protocol.rules import KALAH, Board, Rules

from .baselines import BASELINES, THUMBS, TREE

if TYPE_CHECKING:
    from mancala.engine.search.fixed_nodes import FixedNodeSearch
    from mancala.engine.search.solver import Solution, Solver

MOST_NODES: Final = 20_000_000
FEWEST_MOVES: Final = 3
TABLE_BITS: Final = 20
PLAY_NODES: Final = 300
"""Nodes of the search that chooses the sowings."""
NOISE: Final = 0.3
"""The share of sowings that are random."""


class Demand(IntEnum):
    """What must not be among the best moves: nothing, a rule of thumb's, also alpha-beta's."""

    NONE = 0
    NO_THUMB = 1
    NO_TREE = 2


DEMANDS: Final = (Demand.NO_TREE, Demand.NO_THUMB, Demand.NONE)
"""What positions of each phase demand, in turn: a rule of thumb is best in a third at most, and
alpha-beta in two thirds."""
AS_GAMES_HAVE_THEM: Final = (Demand.NONE,)
"""Positions as good play comes by them."""


class PositionPhase(NamedTuple):
    """A part of the game, by the seeds left in the pits."""

    name: str
    fewest: int
    most: int


PHASES: Final = (
    PositionPhase("early", 34, 40),
    PositionPhase("middle", 27, 33),
    PositionPhase("late", 20, 26),
)


class ProvenPosition(NamedTuple):
    """A position and what its moves are worth.

    Attributes:
        number: its place among the positions of its seed.
        phase: the name of its phase.
        board: its text, the mover first.
        values: proven store difference at the end for the mover, by pit.
        choices: the pits that each baseline would sow, equally likely, by its name.
    """

    number: int
    phase: str
    board: str
    values: dict[int, int]
    choices: dict[str, tuple[int, ...]] = {}  # noqa: RUF012  # of a tuple, which is never changed

    def loss(self, pit: int | None) -> int:
        """Return the seeds that a move loses; None stands for no answer, the worst move."""
        value = min(self.values.values()) if pit is None else self.values[pit]
        return max(self.values.values()) - value

    @property
    def best(self) -> list[int]:
        """The pits that lose nothing, ascending."""
        return [pit for pit in sorted(self.values) if not self.loss(pit)]

    @property
    def most_loss(self) -> int:
        """The seeds that the worst move loses."""
        return self.loss(None)

    def mean_loss(self, baseline: str) -> float:
        """Return the seeds that a baseline loses on average."""
        return fmean(self.loss(pit) for pit in self.choices[baseline])

    def best_share(self, baseline: str) -> float:
        """Return how likely a baseline sows a best pit."""
        return fmean(self.loss(pit) == 0 for pit in self.choices[baseline])


def make_position(seed: int, number: int, demands: Sequence[Demand] = DEMANDS) -> ProvenPosition:
    """Return a position of a seed; the phases take turns, and so do the demands in each."""
    phase = PHASES[number % len(PHASES)]
    demand = demands[number // len(PHASES) % len(demands)]
    rng = Random(f"{seed} {number}")  # noqa: S311  # games need no cryptography
    _solver().forget()
    while True:
        board = board_of(phase, rng)
        values = _values_of(board, demand)
        if values is not None:
            return ProvenPosition(number, phase.name, board.text, values, choices_on(board))


def choices_on(board: Board) -> dict[str, tuple[int, ...]]:
    """Return the pits that each baseline would sow, by its name."""
    return {name: tuple(choose(board)) for name, choose in BASELINES.items()}


def board_of(phase: PositionPhase, rng: Random, rules: Rules = KALAH) -> Board:
    """Return a position of a phase, reached from the start of these rules by good play with noise.

    It stands as one of Kalah(6,4), whose rules are the same but for the start.
    """
    while True:
        board, seeds = Board.start(rules), rng.randint(phase.fewest, phase.most)
        _search().forget()
        while not board.is_over and board.in_play > seeds:
            board = board.sow(_choice(board, rng)).board
        is_wanted = board.in_play >= phase.fewest and len(board.legal()) >= FEWEST_MOVES
        if is_wanted and not board.is_over:
            return Board.from_text(board.text, KALAH)


def _choice(board: Board, rng: Random) -> int:
    return rng.choice(board.legal()) if rng.random() < NOISE else _search().choose(board).pit


def _values_of(board: Board, demand: Demand) -> dict[int, int] | None:
    """Return the value of each move; None where a demand is not met or a proof takes too long."""
    avoided = avoided_pits(board, demand)
    if avoided.issuperset(board.legal()):
        return None
    first = _proven(board, every_move=False)
    if first is None or first.best in avoided:
        return None
    whole = _proven(board, every_move=True)
    if whole is None:
        return None
    values = {pit: bounds.low for pit, bounds in whole.moves.items()}
    best = {pit for pit, value in values.items() if value == max(values.values())}
    return values if len(best) < len(values) and avoided.isdisjoint(best) else None


def avoided_pits(board: Board, demand: Demand) -> set[int]:
    """Return the pits that must not be best."""
    choosers = [*(THUMBS.values() if demand >= Demand.NO_THUMB else ())]
    choosers += [BASELINES[TREE]] if demand >= Demand.NO_TREE else []
    return {pit for choose in choosers for pit in choose(board)}


def _proven(board: Board, *, every_move: bool) -> Solution | None:
    """Return what a proof finds; None when it takes too long."""
    for solution in _solver().solve(board, every_move=every_move):
        if solution.nodes > MOST_NODES:
            return None
    return solution


@cache
def _solver() -> Solver:
    from mancala.engine.search.engine import tables_for
    from mancala.engine.search.solver import Solver
    from mancala.engine.tablebase import default_seeds

    tables = tables_for(KALAH, seeds=default_seeds(KALAH.pits))
    return Solver(KALAH, tables=tables, table_bits=TABLE_BITS)


@cache
def _search() -> FixedNodeSearch:
    from mancala.engine.search.engine import EngineOptions
    from mancala.engine.search.fixed_nodes import FixedNodeSearch

    return FixedNodeSearch(KALAH, EngineOptions(book=False), nodes=PLAY_NODES)
