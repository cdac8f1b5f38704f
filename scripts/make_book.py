"""Make ``engine/data/book_kalah.json``: prove the first plies of Kalah(6,4) with the solver.

Run as ``python -m scripts.make_book --minutes 30``. Positions are proven in the order of how many
moves on the way to them were not the best, then of their ply; those with few enough seeds left
that a player proves them on its own clock are left out. A book that is there is added to.
"""

from __future__ import annotations

import heapq
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine import book, endgame
from engine.solver import Solver
from protocol.rules import Board, Rules

if TYPE_CHECKING:
    from collections.abc import Iterator

TARGET = Path(__file__).parents[1] / "engine" / "data" / "book_kalah.json"
KALAH = Rules()


def main(
    minutes: Annotated[float, typer.Option(help="How long to go on.")] = 10.0,
    seeds: Annotated[int, typer.Option(help="Seeds that the endgame tables reach.")] = 20,
    fewest: Annotated[int, typer.Option(help="Leave out positions with fewer seeds.")] = 37,
    threads: Annotated[int, typer.Option(help="Threads that prove.")] = 1,
    table_bits: Annotated[int, typer.Option(help="Size of the transposition table.")] = 23,
) -> None:
    """Add to the book for so many minutes."""
    tables = endgame.obtain(KALAH, seeds, endgame.default_cache())
    solver = Solver(KALAH, tables=tables, table_bits=table_bits, threads=threads)
    entries = _present()
    deadline = time.monotonic() + 60 * minutes
    for board, entry in _proven(solver, entries, fewest, deadline):
        entries[book.key(board)] = entry
        typer.echo(f"{len(entries)} {board.text} {entry.to_go:+d} by pit {entry.pit}")
        provenance = f"proven by scripts/make_book.py with tables of {seeds} seeds"
        TARGET.write_text(book.document(KALAH, entries, provenance), encoding="utf-8")


def _present() -> dict[str, book.Entry]:
    if not TARGET.exists():
        return {}
    body = json.loads(TARGET.read_text(encoding="utf-8"))
    return {key: book.Entry(*entry) for key, entry in body["entries"].items()}


def _proven(
    solver: Solver, entries: dict[str, book.Entry], fewest: int, deadline: float
) -> Iterator[tuple[Board, book.Entry]]:
    """Walk the openings, the least imperfect first, and prove what is not in the book."""
    queue: list[tuple[int, int, str, Board, float | None]]
    queue = [(0, 0, "", Board.start(KALAH), None)]
    seen: set[str] = set()
    while queue:
        errors, ply, _, board, guess = heapq.heappop(queue)
        if (key := book.key(board)) in seen:
            continue
        seen.add(key)
        if key not in entries:
            entry = _prove(solver, board, guess, deadline)
            if entry is None:
                return
            yield board, entry
        entry = entries[key]
        value = board.stores[board.player] - board.stores[1 - board.player] + entry.to_go
        for pit in board.legal():
            child = board.sow(pit).board
            if not child.is_over and sum(map(sum, child.pits)) >= fewest:
                worth = float(value if child.player == board.player else -value)
                best = pit == entry.pit
                item = (errors + (not best), ply + 1, child.text, child, worth if best else None)
                heapq.heappush(queue, item)


def _prove(solver: Solver, board: Board, guess: float | None, deadline: float) -> book.Entry | None:
    for solution in solver.solve(board, guess=guess):
        if solution.best is not None and solution.value.exact:
            ahead = board.stores[board.player] - board.stores[1 - board.player]
            return book.Entry(solution.value.low - ahead, solution.best)
        if time.monotonic() > deadline:
            return None
    return None


if __name__ == "__main__":
    typer.run(main)
