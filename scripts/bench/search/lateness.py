"""Measure what a timed search costs besides searching, and print one JSON object.

``python -m mancala.scripts.bench.search.lateness`` asks the engine for a move in positions of
``strength_kalah.json``, with an empty transposition table and no book, at limits of 5, 10 and 100
milliseconds. For each limit: the set-up, which is the time to the first report; the lateness, by
which the search ends after its limit; the reports; and the nodes. Times are in milliseconds.
Searches that are proven before their limit say nothing about lateness, and those that lost the
processor to other programs measure the machine; both are counted and left out.

To compare two versions, run the file in each one's environment, in turn. ``--cpu`` counts the
processor time of the search's thread, also for its limit: other programs then slow it down only
through the caches and the memory that they share.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer

from mancala.engine.search.engine import Engine, EngineOptions, Limit
from mancala.protocol.rules import Board

from ...console import output as console

POSITIONS: Final = Path(__file__).with_name("strength_kalah.json")
LIMITS_MS: Final = (5.0, 10.0, 100.0)
MS: Final = 1000.0


class SearchTiming(NamedTuple):
    """One search: times in ms, counts, and whether it was proven or lost the processor."""

    setup: float
    late: float
    reports: int
    nodes: int
    exact: bool
    preempted: bool


def timed(
    engine: Engine,
    board: Board,
    limit_ms: float,
    clock: Callable[[], float] = time.perf_counter,
) -> SearchTiming:
    """Search a board with an empty table until the limit; ``clock`` returns seconds."""
    engine.forget()
    switches = _switches()
    began = clock()
    reports = engine.think(board, Limit(time_s=limit_ms / MS))
    last = next(reports)
    first = clock()
    count = 1
    for report in reports:
        last = report
        count += 1
    late = MS * (clock() - began) - limit_ms
    preempted = clock is not time.thread_time and _switches() > switches
    return SearchTiming(MS * (first - began), late, count, last.nodes, last.exact, preempted)


def _switches() -> int:
    """Return how often the processor was taken from this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def summary(timings: list[SearchTiming]) -> dict[str, Any]:
    """Return the figures of one limit, from the searches that were neither proven nor preempted."""
    met = [each for each in timings if not (each.exact or each.preempted)]
    late = sorted(each.late for each in met)
    return {
        "searches": len(timings),
        "proven": sum(each.exact for each in timings),
        "preempted": sum(each.preempted for each in timings),
        "setup_mean_ms": round(statistics.mean(each.setup for each in met), 3),
        "setup_median_ms": round(statistics.median(each.setup for each in met), 3),
        "late_mean_ms": round(statistics.mean(late), 3),
        "late_median_ms": round(statistics.median(late), 3),
        "late_90_percent_ms": round(late[len(late) * 9 // 10], 3),
        "reports": round(statistics.mean(each.reports for each in met), 1),
        "nodes_mean": round(statistics.mean(each.nodes for each in met)),
        "nodes_median": round(statistics.median(each.nodes for each in met)),
    }


def main(
    positions: Annotated[int, typer.Option(help="Use only the first N positions.")] = 300,
    repeats: Annotated[int, typer.Option(help="Searches of each position at each limit.")] = 1,
    tables: Annotated[
        int | None, typer.Option(help="Seeds of the endgame tables; default: the largest file.")
    ] = None,
    *,
    cpu: Annotated[bool, typer.Option(help="Count processor time.")] = False,
) -> None:
    """Measure, and print one JSON object with the machine's load before and after."""
    body = json.loads(POSITIONS.read_text(encoding="utf-8"))
    boards = [Board.from_text(entry["board"]) for entry in body["positions"][:positions]] * repeats
    clock = time.thread_time if cpu else time.perf_counter
    engine = Engine(options=EngineOptions(book=False, tables=tables), clock=clock)
    engine.warm_up()
    result: dict[str, Any] = {"load_before": os.getloadavg()[0], "limits": {}}
    for limit_ms in LIMITS_MS:
        timings = [timed(engine, board, limit_ms, clock) for board in boards]
        result["limits"][f"{limit_ms:g} ms"] = summary(timings)
    result["load_after"] = os.getloadavg()[0]
    console.emit(result)


if __name__ == "__main__":
    typer.run(main)
