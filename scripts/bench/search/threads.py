"""What threads are worth at equal time, on the positions of ``strength.py``.

``python -m mancala.scripts.bench.search.threads`` asks the engine for its move in each position,
with one thread and with two by turns, and prints one JSON object: how many positions were proven in
the time, what the moves lose, how deep and how fast the search was; and what two threads have more
of it, position by position. It needs as many free cores as threads: times are what is measured.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mancala.engine.search.engine import Engine, EngineOptions, Limit

from ...console import output as console
from ..averages import average
from .strength import POSITIONS, answers, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mancala.engine.search.reports import Report

    from .strength import MoveCost

    Answers = Sequence[tuple[Report, MoveCost]]


def engine(threads: int) -> Engine:
    """Build an engine without a book."""
    made = Engine(options=EngineOptions(book=False, threads=threads))
    made.warm_up()
    return made


def figures(asked: Answers) -> dict[str, list[float]]:
    """Return the measured quantity, one number for each position."""
    return {
        "proven": [float(report.exact) for report, _ in asked],
        "loss": [float(choice.loss) for _, choice in asked],
        "depth": [float(report.depth) for report, _ in asked],
        "nodes": [float(report.nodes) for report, _ in asked],
        "seconds": [report.seconds for report, _ in asked],
    }


def compared(alone: Answers, together: Answers) -> dict[str, Any]:
    """Average both, and the differences, with 95 % errors."""
    one, many = figures(alone), figures(together)
    more = {
        name: [b - a for a, b in zip(one[name], many[name], strict=True)]
        for name in ("proven", "loss", "depth")
    }
    return {
        "alone": {name: round(average(values).mean, 4) for name, values in one.items()},
        "together": {name: round(average(values).mean, 4) for name, values in many.items()},
        "more": {name: average(values).rounded()._asdict() for name, values in more.items()},
    }


def main(
    *,
    movetime: Annotated[float, typer.Option(min=0.001, help="Seconds a move.")] = 0.1,
    threads: Annotated[int, typer.Option(min=2, help="Threads, against one.")] = 2,
    positions: Annotated[Path, typer.Option(help="The file of positions.")] = POSITIONS,
    limit: Annotated[int | None, typer.Option(help="Use only the first N positions.")] = None,
) -> None:
    """Compare threads with one at equal time, and print one JSON object."""
    taken = read(positions)[:limit]
    runs = [answers(engine(count), Limit(time_s=movetime), taken) for count in (1, threads)]
    by_turns = list(zip(*runs, strict=True))
    alone, together = [pair[0] for pair in by_turns], [pair[1] for pair in by_turns]
    result = {"movetime_s": movetime, "threads": threads, "positions": len(taken)}
    console.emit({**result, **compared(alone, together)})


if __name__ == "__main__":
    typer.run(main)
