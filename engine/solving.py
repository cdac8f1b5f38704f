"""What is proven of a position, and of endgame tables at random positions."""

import os
import random
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from mancala.protocol.rules import Board, Rules

from . import tablebase
from .kernels import state
from .kernels.state import ExactTables
from .knowledge import known
from .search.engine import tables_for
from .search.reports import Limit
from .search.solver import Solution, Solver

REFERENCE_SEEDS: Final = 14
"""Tables that a spot check's search knows: of few seeds, and computed anew."""
REFERENCE_BITS: Final = 16


def solve(
    board: Board,
    *,
    time_s: float | None = None,
    all_moves: bool = False,
    threads: int | None = None,
    tables: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Solution]:
    """Prove the value of a board that is not over; yield what is proven so far, the proof last.

    What the book and the certificates know comes first, and is part of all that follows. If that
    is the value, nothing is searched without ``time_s`` or ``all_moves``; other moves then have
    bounds.

    Args:
        board: the position.
        time_s: seconds after which the search ends with bounds; None for no limit.
        all_moves: prove every move even if the value is known.
        threads: how many search; None for one per core.
        tables: seeds that the endgame tables reach; None for the largest there are.
        progress: called with positions done and in total while endgame tables are built.

    Raises:
        ValueError: when the game is over, the time is no number, or there would be fewer threads
            than none.
    """
    Limit(time_s=time_s)  # refuses what is no number
    if threads is not None and threads < 0:
        raise ValueError(f"{threads} threads cannot search: ask for 1 or more, or 0 for all")
    sure = known(board)
    if sure is not None:
        begun = Solution.of(sure, board.player)
        yield begun
        searches = all_moves or time_s is not None
        if sure.value.exact and not (searches and _is_open(begun)):
            return
    solver = Solver(
        board.rules,
        tables=tables_for(board.rules, seeds=tables, progress=progress),
        table_bits=table_bits(board.in_play),
        threads=threads or os.cpu_count() or 1,
    )
    for solution in solver.solve(board, every_move=True, sure=sure):
        yield solution
        if not _is_open(solution) or (time_s is not None and solution.seconds >= time_s):
            return


def table_bits(in_play: int) -> int:
    """Return the size of a solver's table, by the seeds in play: 16 MB to 1 GB.

    A larger one saves nodes, few of them, and costs the time in which the system clears it.
    """
    return 18 if in_play <= 36 else 20 if in_play <= 44 else 22 if in_play <= 47 else 24


def _is_open(solution: Solution) -> bool:
    """Return whether there is a move whose value is not known."""
    return not all(bounds.exact for bounds in solution.moves.values())


class CheckedPosition(NamedTuple):
    board: Board
    in_tables: int
    proven: int


def check_at_random(
    rules: Rules, tables: ExactTables, samples: int, rng: random.Random
) -> Iterator[CheckedPosition]:
    """Look up random positions, all equally likely, and prove each of them."""
    few = tablebase.build(state.variant(rules), min(REFERENCE_SEEDS, tables.seeds))
    solver = Solver(rules, tables=few, table_bits=REFERENCE_BITS)
    for _ in range(samples):
        board = random_position(rules, tables.seeds, rng)
        *_, solution = solver.solve(board)
        yield CheckedPosition(board, tablebase.value_of(board, tables), solution.value.low)


def random_position(rules: Rules, seeds: int, rng: random.Random) -> Board:
    """Return a position of at most ``seeds`` seeds, some in each row; all equally likely."""
    pits = 2 * rules.pits
    while True:
        bars = sorted(rng.sample(range(seeds + pits), pits))
        counts = [after - before - 1 for before, after in zip([-1, *bars], bars, strict=False)]
        rows = tuple(counts[: rules.pits]), tuple(counts[rules.pits :])
        if all(map(any, rows)):
            return Board(rules, rows, (0, 0))
