"""Make the opening books, ``engine/data/book_kalah_6xN.json``: the first plies of Kalah(6,N).

``python -m mancala.scripts.bench.search.make_book --start 4 --minutes 30`` proves positions with
the solver, in the order of how many moves on the way to them were not the best, then of their ply;
those with few enough seeds left that a player proves them on its own clock are left out. With
``--think 60`` the engine thinks about each for that many seconds instead, and entries without a
proof are marked. With ``--certificate FILE`` the positions are those that a certificate of
``mancala prove`` values from both sides. An existing book is extended; proofs replace estimates.
"""

import heapq
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer

from mancala.engine import book, tablebase
from mancala.engine.campaign.certificate import load
from mancala.engine.search.engine import Engine
from mancala.engine.search.reports import EngineOptions, Limit
from mancala.engine.search.solver import Solver
from mancala.protocol.rules import Board, Rules
from mancala.protocol.text import quantity

DATA: Final = Path(__file__).parents[3] / "engine" / "data"

Judge: TypeAlias = Callable[[Board, float | None, float], book.Entry | None]
"""Finds an entry for a board, from a first guess, before an instant; None when it can't by then."""


def main(
    *,
    start: Annotated[int, typer.Option(min=1, help="Seeds a pit at the start.")] = 4,
    minutes: Annotated[float, typer.Option(help="How long to go on.")] = 10.0,
    seeds: Annotated[int, typer.Option(help="Seeds that the endgame tables reach.")] = 20,
    fewest: Annotated[int, typer.Option(help="Leave out positions with fewer seeds.")] = 37,
    threads: Annotated[int, typer.Option(help="Threads that prove.")] = 1,
    table_bits: Annotated[int, typer.Option(help="Size of the transposition table.")] = 23,
    think: Annotated[
        float | None, typer.Option(help="Seconds to think per position, instead of a proof.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Take what this certificate proves, and prove nothing.")
    ] = None,
) -> None:
    """Add to the book for a number of minutes."""
    rules = Rules(seeds=start)
    target = DATA / f"book_kalah_{rules.pits}x{rules.seeds}.json"
    entries: dict[str, book.Entry] = {}
    if target.exists():
        _, entries = book.read(target.read_text(encoding="utf-8"))
    if certificate is not None:
        found, source = _certified(certificate, rules), certificate.name
    else:
        judge = _prover(rules, seeds, table_bits, threads)
        if think is not None:
            judge = _thinker(rules, seeds, table_bits, threads, think)
        deadline = time.monotonic() + 60 * minutes
        found = _judged(judge, rules, entries, fewest, deadline, proofs=think is None)
        source = f"tables of {quantity(seeds, 'seed')}"
    for board, entry in found:
        entries[book.key(board)] = entry
        how = "proven" if entry.is_proven else "thought"
        typer.echo(f"{len(entries)} {board.text} {entry.to_go:+g} by pit {entry.pit}, {how}")
        provenance = f"made by scripts/bench/search/make_book.py, the latest entries from {source}"
        target.write_text(book.document(rules, entries, provenance), encoding="utf-8")


def _certified(path: Path, rules: Rules) -> Iterator[tuple[Board, book.Entry]]:
    certificate = load(path)
    if certificate.rules.key != rules.key:
        raise typer.BadParameter(f"{path} is for {certificate.rules}, the book for {rules}")
    for board, value, best in certificate.exact():
        yield board, book.Entry(value - board.score(0), best)


def _prover(rules: Rules, seeds: int, table_bits: int, threads: int) -> Judge:
    tables = tablebase.obtain(rules, seeds, tablebase.default_cache())
    solver = Solver(rules, tables=tables, table_bits=table_bits, threads=threads)

    def prove(board: Board, guess: float | None, deadline: float) -> book.Entry | None:
        for solution in solver.solve(board, guess=guess):
            if solution.best is not None:
                return book.Entry(solution.value.low - board.score(board.player), solution.best)
            if time.monotonic() > deadline:
                break
        return None

    return prove


def _thinker(rules: Rules, seeds: int, table_bits: int, threads: int, seconds: float) -> Judge:
    options = EngineOptions(table_bits=table_bits, tables=seeds, threads=threads, book=False)
    engine = Engine(options=options)
    engine.warm_up(rules)

    def think(board: Board, _guess: float | None, deadline: float) -> book.Entry | None:
        if time.monotonic() > deadline:
            return None
        report = engine.analyse(board, Limit(time_s=seconds))
        to_go = report.known_value - board.score(board.player)
        if report.exact:
            return book.Entry(int(to_go), report.pit)
        return book.Entry(round(to_go, 2), report.pit, seconds)

    return think


def _judged(
    judge: Judge,
    rules: Rules,
    entries: dict[str, book.Entry],
    fewest: int,
    deadline: float,
    *,
    proofs: bool,
) -> Iterator[tuple[Board, book.Entry]]:
    """Walk the openings, the least imperfect first, and judge what is not in the book."""
    queue: list[tuple[int, int, str, Board, float | None]]
    queue = [(0, 0, "", Board.start(rules), None)]
    seen: set[str] = set()
    while queue:
        errors, ply, _, board, guess = heapq.heappop(queue)
        if (key := book.key(board)) in seen:
            continue
        seen.add(key)
        if key not in entries or (proofs and not entries[key].is_proven):
            entry = judge(board, guess, deadline)
            if entry is None:
                return
            yield board, entry
        entry = entries[key]
        value = board.score(board.player) + entry.to_go
        for pit in board.legal():
            child = board.sow(pit).board
            if not child.is_over and child.in_play >= fewest:
                worth = value if child.player == board.player else -value
                best = pit == entry.pit
                item = (errors + (not best), ply + 1, child.text, child, worth if best else None)
                heapq.heappush(queue, item)


if __name__ == "__main__":
    typer.run(main)
