"""Reproduce the published values of Kalah with the solver and print one JSON object.

``python -m mancala.scripts.bench.published`` proves every game of the tables below that
ends within its time,
under both rule sets, and the first-move tables of Kalah(6,4). Sources: Irving, Donkers and
Uiterwijk, "Solving Kalah", ICGA Journal 23(3), 2000, table 9, for the rules that capture when the
opposite pit is empty; CMancala and two independent programs for those that do not.
"""

from __future__ import annotations

import time
from typing import Annotated, Any, Final

import typer

from mancala.engine import tablebase
from mancala.engine.knowledge import Bounds
from mancala.engine.search.solver import Solver
from mancala.protocol.rules import Board, Rules

from ..console import output as console

VALUES: Final = {
    "kalah-empty-capture": {
        (2, 4): -12,
        (4, 1): 2,
        (4, 2): 6,
        (4, 3): 8,
        (5, 1): 0,
        (5, 2): 0,
        (6, 1): 2,
        (6, 2): 10,
        (6, 3): 2,
        (6, 4): 10,
    },
    "kalah": {
        (1, 3): 6,
        (2, 4): -10,
        (4, 1): 2,
        (4, 2): 6,
        (4, 3): 6,
        (5, 1): 0,
        (5, 2): 2,
        (6, 1): 2,
        (6, 2): 6,
        (6, 3): 2,
        (6, 4): 8,
    },
}
"""First player's value of Kalah(pits, seeds), by rules."""
FIRST_MOVES: Final = {
    "kalah": {(): (-14, -10, 8, -2, -8, 4), (2,): (-6, 0, None, 2, 4, 8)},
    "kalah-empty-capture": {(): (-14, -8, 10, -2, -6, 4), (2,): (-8, -2, None, 2, 4, 10)},
}
"""Values of the moves of Kalah(6,4), by rules and the moves before; None where there is none."""
TABLE_SEEDS: Final = 20
"""Seeds that the endgame tables of six pits reach; smaller boards have the usual ones."""


def solver_for(rules: Rules, threads: int) -> Solver:
    """Make the solver of a game; its endgame tables are built if need be."""
    seeds = max(TABLE_SEEDS, tablebase.default_seeds(rules.pits))
    tables = tablebase.obtain(rules, seeds, tablebase.default_cache())
    return Solver(rules, tables=tables, threads=threads)


def prove(
    solver: Solver, board: Board, time_s: float, *, every_move: bool = False
) -> tuple[Bounds, dict[int, Bounds], float]:
    """Prove a board within a time: its value and its moves', with the seconds taken."""
    for solution in solver.solve(board, every_move=every_move):
        if solution.seconds > time_s:
            break
    return solution.value, solution.moves, solution.seconds


def game(name: str, pits: int, seeds: int, time_s: float, threads: int) -> dict[str, Any]:
    """Compare the value of one game."""
    board = Board.start(Rules.parse(f"{name}:pits={pits},seeds={seeds}"))
    value, _, seconds = prove(solver_for(board.rules, threads), board, time_s)
    published = VALUES[name][pits, seeds]
    return {
        "rules": name,
        "game": [pits, seeds],
        "published": published,
        "value": value.low if value.exact else None,
        "agrees": value.low == published if value.exact else None,
        "seconds": seconds,
    }


def first_moves(name: str, before: tuple[int, ...], time_s: float, threads: int) -> dict[str, Any]:
    """Compare the values of all moves after some first ones, for the first player."""
    board = Board.start(Rules.parse(name))
    for pit in before:
        board = board.sow(pit).board
    solver = solver_for(board.rules, threads)
    _, moves, seconds = prove(solver, board, time_s, every_move=True)
    published = FIRST_MOVES[name][before]
    values = [moves[pit].low if pit in moves and moves[pit].exact else None for pit in range(6)]
    proven = [pit for pit in moves if moves[pit].exact]
    return {
        "rules": name,
        "after": list(before),
        "published": list(published),
        "values": values,
        "agrees": all(values[pit] == published[pit] for pit in proven),
        "seconds": seconds,
    }


def main(
    time_s: Annotated[float, typer.Option("--time", help="Seconds for each proof.")] = 120.0,
    threads: Annotated[int, typer.Option(min=1, help="Threads that prove.")] = 2,
) -> None:
    """Prove them all, each within its time; exit code 1 if any disagrees."""
    began = time.monotonic()
    games = [game(name, *size, time_s, threads) for name, sizes in VALUES.items() for size in sizes]
    tables = [
        first_moves(name, before, time_s, threads)
        for name, after in FIRST_MOVES.items()
        for before in after
    ]
    console.emit({"games": games, "first_moves": tables, "seconds": time.monotonic() - began})
    if any(result["agrees"] is False for result in (*games, *tables)):
        raise typer.Exit(console.FAILED)


if __name__ == "__main__":
    typer.run(main)
