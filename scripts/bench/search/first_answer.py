"""Measure what the engine's first answer and later ones cost, and print one JSON object.

``python -m mancala.scripts.bench.search.first_answer`` runs ``mancala analyze --time 0`` with a new
folder for compiled kernels, then some times more with what the first one left there. Of each it
takes the processor time of all processes and the time by the clock, in seconds; of later ones the
median. ``first_move_s`` is the time until the first one names a move, before it has compiled.
``first_search`` is the share of a warm search's nodes that the first search of a process
has, in 10 ms of processor time on positions of which nothing is known; ``--other`` names another
checkout, whose share is measured in turns with it (``other_first_search``). ``ratio`` is processor
time in units of a process that imports numba and no more, run between them, so that slow and busy
machines can be compared. Endgame tables are those that the machine has.

Without ``--first`` nothing is compiled but what the installation's own cache lacks.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer

from ...console import output as console

ANSWER: Final = ("-m", "mancala", "analyze", "--time", "0", "--json")
YARDSTICK: Final = ("-c", "import numba")
SEARCH: Final = """
import time
from mancala.engine.search.engine import Engine, EngineOptions, Limit
from mancala.protocol.rules import Board
engine = Engine(options=EngineOptions(book=False), clock=time.thread_time)
engine.warm_up()
nodes = []
for _ in range(6):
    board = Board.from_text("<6,5,4,3,4,4,4,1,2,4,4,4,4,4,1>")
    nodes.append(engine.analyse(board, Limit(time_s=0.01)).nodes)
    engine.forget()
print(nodes[0] / sorted(nodes[1:])[2])
"""
"""Prints the nodes of a process's first search over those of later ones."""
CACHE: Final = "NUMBA_CACHE_DIR"


class Cost(NamedTuple):
    """Seconds that a command took, with the processes that it started and waited for."""

    cpu_s: float
    wall_s: float


def measured(arguments: Sequence[str], environment: dict[str, str]) -> Cost:
    """Run this Python with arguments and return what that cost."""
    began, before = time.perf_counter(), _cpu_of_children()
    subprocess.run(  # noqa: S603  # our own code
        [sys.executable, "-P", *arguments],
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return Cost(_cpu_of_children() - before, time.perf_counter() - began)


def first_move_s() -> float:
    """Return the seconds until the command names a move where nothing is compiled."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        answering = subprocess.Popen(  # noqa: S603  # our own code
            [sys.executable, "-P", *ANSWER],
            env={**os.environ, CACHE: folder},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        with answering:
            answering.stderr.readline()  # type: ignore[union-attr]  # it is piped
            seconds = time.perf_counter() - began
            answering.kill()
    return seconds


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def summary(costs: Sequence[Cost], yardstick_s: float) -> dict[str, Any]:
    """Return the medians of some costs, and the processor time in units of the yardstick."""
    cpu, wall = (statistics.median(column) for column in zip(*costs, strict=True))
    return {
        "cpu_s": round(cpu, 2),
        "wall_s": round(wall, 2),
        "ratio": round(cpu / yardstick_s, 2),
    }


def first_search(checkout: Path) -> float:
    """Return the share of a warm search's nodes that the first search of a process has."""
    asked = [sys.executable, "-P", "-c", SEARCH]
    there = {**os.environ, "PYTHONPATH": str(checkout)}
    return float(subprocess.check_output(asked, env=there, text=True))  # noqa: S603  # our own code


def main(
    *,
    first: Annotated[bool, typer.Option("--first", help="Compile, too: a minute.")] = False,
    repeat: Annotated[int, typer.Option(min=1, help="Later answers.")] = 5,
    other: Annotated[
        Path | None, typer.Option(help="Checkout whose first search is measured as well.")
    ] = None,
) -> None:
    """Measure answers of the engine, and print one JSON object."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **({CACHE: folder} if first else {})}
        cold = measured(ANSWER, environment)
        later, yardsticks = [], []
        own = Path(__file__).resolve().parents[3]
        shares: dict[Path, list[float]] = {each: [] for each in (own, other) if each}
        for _ in range(repeat):
            for checkout, measured_there in shares.items():
                measured_there.append(first_search(checkout))
            later.append(measured(ANSWER, environment))
            yardsticks.append(measured(YARDSTICK, environment).cpu_s)
    yardstick_s = statistics.median(yardsticks)
    names = "first_search", "other_first_search"
    result = {
        "yardstick_s": round(yardstick_s, 2),
        "later": summary(later, yardstick_s),
        **{
            name: round(statistics.median(each), 2)
            for name, each in zip(names, shares.values(), strict=False)
        },
    }
    if first:
        moves_s = statistics.median(first_move_s() for _ in range(repeat))
        result = {
            "first": summary([cold], yardstick_s),
            "first_move_s": round(moves_s, 2),
            **result,
        }
    console.emit(result)


if __name__ == "__main__":
    typer.run(main)
