"""Make the repertoires, ``engine/data/repertoire-kalah-6-N.txt.xz``: one proven move a position.

``python -m mancala.scripts.bench.search.make_repertoire --start 4 --minutes 10 --tables 24``
follows each seat's proven best moves and every reply to them, those first where the other side has
given up least. It ends where fewer seeds are left than ``--fewest``, or where the other side has
given up ``--margin`` seeds, since a short search no longer falls below the value of the start from
there. An existing file is extended.
"""

import heapq
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer

from mancala.engine import book, repertoire, tablebase
from mancala.engine.search.solver import Solver
from mancala.protocol.rules import Board, Rules
from mancala.protocol.text import quantity

DATA: Final = Path(__file__).parents[3] / "engine" / "data"
SHOWN_EVERY: Final = 1000
"""Positions between two lines of progress."""

Lines = dict[str, repertoire.ProvenMove]


def main(
    *,
    start: Annotated[int, typer.Option(min=1, help="Seeds a pit at the start.")] = 4,
    minutes: Annotated[float, typer.Option(help="How long to go on.")] = 10.0,
    tables: Annotated[int, typer.Option(help="Seeds that the endgame tables reach.")] = 24,
    fewest: Annotated[int, typer.Option(help="Leave out positions with fewer seeds.")] = 33,
    margin: Annotated[int, typer.Option(help="Leave out positions worth N more.")] = 8,
    seat: Annotated[int | None, typer.Option(min=0, max=1, help="Default: both.")] = None,
    table_bits: Annotated[int, typer.Option(help="Size of the transposition table.")] = 22,
) -> None:
    """Add to the repertoire for a number of minutes."""
    rules = Rules(seeds=start)
    path = DATA / f"repertoire-kalah-{rules.pits}-{rules.seeds}.txt.xz"
    lines = _existing(path)
    prover = _LineProver(rules, tables, table_bits, lines)
    seats = (0, 1) if seat is None else (seat,)
    found = lines.copy()
    for number, each in enumerate(seats, 1):
        deadline = time.monotonic() + 60 * minutes / len(seats)
        for board, line in _walk(prover, Board.start(rules), each, fewest, margin):
            found[repertoire.key(board)] = line
            if len(found) % SHOWN_EVERY == 0:
                typer.echo(
                    f"seat {each} ({number} of {len(seats)}): {quantity(len(found), 'position')}"
                )
            if time.monotonic() > deadline:
                typer.echo(f"seat {each}: the time is over before the tree")
                break
    provenance = (
        f"made by scripts/bench/search/make_repertoire.py with tables of {quantity(tables, 'seed')}"
    )
    path.write_bytes(repertoire.document(rules.key, _existing(path) | found, provenance))
    typer.echo(
        f"{path.name}: {quantity(len(found), 'position')}, {quantity(path.stat().st_size, 'byte')}"
    )


def _existing(path: Path) -> Lines:
    if not path.exists():
        return {}
    return {
        key: repertoire.parsed(text) for key, text in repertoire.read(path.read_bytes())[1].items()
    }


class _LineProver:
    """Proves positions, or looks them up."""

    def __init__(self, rules: Rules, tables: int, table_bits: int, lines: Lines) -> None:
        exact = tablebase.obtain(rules, tables, tablebase.default_cache())
        self._solver = Solver(rules, tables=exact, table_bits=table_bits)
        self._lines = lines

    def prove(self, board: Board, guess: int | None) -> repertoire.ProvenMove:
        if (line := self._lines.get(repertoire.key(board))) is not None:
            return line
        entry = book.find(board)
        if entry is not None and entry.is_proven:
            return repertoire.ProvenMove(round(entry.to_go), entry.pit)
        *_, solution = self._solver.solve(board, guess=guess)
        if solution.best is None:
            raise RuntimeError(f"no proof of {board.text}")
        line = repertoire.ProvenMove(solution.value.low - board.score(board.player), solution.best)
        self._lines[repertoire.key(board)] = line
        return line


def _walk(
    prover: _LineProver, start: Board, seat: int, fewest: int, margin: int
) -> Iterator[tuple[Board, repertoire.ProvenMove]]:
    """Yield the positions where a seat is to move, those first where least was given up."""
    value = prover.prove(start, None).to_go
    least = value if seat == start.player else -value
    queue = [(0, 0, start.text, start)]
    seen = {start.text}
    while queue:
        gained, ply, _, board = heapq.heappop(queue)
        pits = board.legal()
        if board.player == seat:
            line = prover.prove(board, least + gained)
            gained = line.to_go + board.score(seat) - least
            yield board, line
            pits = (line.pit,)
        if gained >= margin:
            continue
        for pit in pits:
            child = board.sow(pit).board
            if child.text not in seen and not child.is_over and child.in_play >= fewest:
                seen.add(child.text)
                heapq.heappush(queue, (gained, ply + 1, child.text, child))


if __name__ == "__main__":
    typer.run(main)
