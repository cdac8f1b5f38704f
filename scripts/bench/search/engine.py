"""Measure the engine against its limits and print one JSON object.

``python -m mancala.scripts.bench.search.engine`` compiles ``twin.c`` with ``-O3 -march=native``,
then times perft and the proof search in both languages in turn, the build of endgame tables, the
proof of Kalah(6,4), and how late a stop is obeyed. Ratios of one run compare; absolute figures
depend on the machine and on what else it does.

``--other CHECKOUT`` compares the nodes of searches of 2 and 10 ms of processor time with those of
another checkout instead, search by search in turn.
"""

import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final

import numpy as np
import typer

import mancala
from mancala.engine import kernels, tablebase
from mancala.engine.kernels import layout, state
from mancala.engine.kernels.state import ExactTables
from mancala.engine.perft import perft
from mancala.engine.search.engine import Engine, EngineOptions, Limit, tables_for
from mancala.engine.search.solver import Solver
from mancala.engine.search.worker import Worker, position_of
from mancala.protocol.rules import Board, Rules

from ...console import output as console

KALAH: Final = Rules()
START: Final = Board.start(KALAH)
MIDDLE: Final = Board.from_text("<6,2,9,6,6,0,4,0,1,6,6,0,0,1,7>")
"""The question whether it is worth 2 takes 2.6 million nodes without weights."""
ASKED: Final = 2
PERFT_DEPTH: Final = 11
TABLE_BITS: Final = 20
PROBES: Final = 1_000_000
STOPS: Final = 40
TIMES_S: Final = (0.002, 0.01)
SEARCHED: Final = """
import sys, time
import mancala.engine
print(mancala.engine.__file__, flush=True)
from mancala.engine.search.engine import Engine, EngineOptions, Limit
from mancala.protocol.rules import KALAH, Board
engine = Engine(options=EngineOptions(book=0, tables=16), clock=time.thread_time)
engine.warm_up()
for line in sys.stdin:
    text, time_s = line.split()
    engine.forget()
    began = time.thread_time()
    report = engine.analyse(Board.from_text(text, KALAH), Limit(time_s=float(time_s)))
    print(report.nodes, time.thread_time() - began, flush=True)
"""
"""What the processes of two checkouts run."""


def compiled() -> ctypes.CDLL:
    """Compile the C twin for this machine, and load it."""
    source = Path(__file__).with_name("twin.c")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library.so"
        flags = ["-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run(["gcc", *flags, "-o", str(library), str(source)], check=True)  # noqa: S603, S607  # our own file, the machine's compiler
        twin = ctypes.CDLL(str(library))
    twin.perft.restype = ctypes.c_int64
    twin.perft.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int]
    twin.prove.argtypes = [
        *[ctypes.c_void_p] * 5,
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_int,
        *[ctypes.c_uint64] * 2,
        ctypes.c_int,
        ctypes.POINTER(ctypes.c_int64),
    ]
    return twin


def timed(work: Callable[[], int]) -> tuple[int, float]:
    began = time.process_time()
    return work(), time.process_time() - began


def against(ours: Callable[[], int], theirs: Callable[[], int]) -> dict[str, Any]:
    """Time both in turn, three times, and compare the best of each; both must count the same."""
    best, limit = [], []
    for _ in range(3):
        count, seconds = timed(ours)
        best.append(count / seconds)
        reference, seconds = timed(theirs)
        limit.append(reference / seconds)
        if count != reference:
            raise ArithmeticError(f"the twin counts {reference}, the kernel {count}")
    ratio = round(max(best) / max(limit), 3)
    return {"count": count, "rate": round(max(best)), "c_rate": round(max(limit)), "ratio": ratio}


def perft_against(twin: ctypes.CDLL, depth: int) -> dict[str, Any]:
    """Compare perft from the start of Kalah(6,4)."""
    sowing = state.variant(KALAH).sowing
    rows = [int(layout.pack(row)) for row in START.pits]
    perft(START, 2)
    return against(
        lambda: perft(START, depth), lambda: int(twin.perft(sowing.ctypes.data, *rows, depth))
    )


def search_against(twin: ctypes.CDLL, tables: ExactTables, board: Board) -> dict[str, Any]:
    """Compare the proof search on one question, each time from an empty table."""
    weights = np.zeros(state.WEIGHTS, dtype=np.int16)
    search = state.new_search(KALAH, weights, tables=tables, bits=TABLE_BITS)
    variant, entries = search.variant, search.entries
    rows = [int(word) for word in position_of(board)[:2]]

    def ours() -> int:
        entries[:] = 0
        worker = Worker(search)
        goal = (kernels.PROOF, (ASKED - 2) * kernels.UNIT, ASKED * kernels.UNIT)
        kernels.begin(worker.search, position_of(board), 0, goal)
        kernels.run(worker.search, 1 << 60)
        return worker.nodes

    def theirs() -> int:
        entries[:] = 0
        nodes = ctypes.c_int64()
        twin.prove(
            variant.sowing.ctypes.data,
            tables.ranks.ctypes.data,
            tables.values.ctypes.data,
            tables.mover_part.ctypes.data,
            tables.waiter_part.ctypes.data,
            tables.seeds,
            entries.ctypes.data,
            TABLE_BITS,
            *rows,
            ASKED,
            ctypes.byref(nodes),
        )
        return nodes.value

    return against(ours, theirs)


def build_rate(seeds: int) -> dict[str, Any]:
    """Time endgame tables, on one core and on all, and probes of random positions."""
    variant, count = state.variant(KALAH), state.positions(KALAH.pits, seeds)
    tablebase.build(variant, 4)
    result: dict[str, Any] = {"seeds": seeds, "positions": count}
    for threads in (1, os.cpu_count() or 1):
        cpu, wall = time.process_time(), time.perf_counter()
        tables = tablebase.build(variant, seeds, threads=threads)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        result[f"threads_{threads}"] = {"seconds": wall, "rate_a_core": round(count / cpu)}
    size = tables.values.nbytes + tables.mover_part.nbytes + tables.waiter_part.nbytes
    return {**result, "bits_a_position": 8 * size / count, "probe_ns": probe_ns(tables)}


def probe_ns(tables: ExactTables) -> float:
    """Return the nanoseconds of a probe at a random position of the most seeds."""
    rng = np.random.default_rng(1)
    words = rng.multinomial(tables.seeds, [1 / 12] * 12, size=PROBES).astype(np.uint8)
    sides = np.zeros((PROBES, 2, 8), dtype=np.uint8)
    sides[:, :, :6] = words.reshape(PROBES, 2, 6)
    alive = np.all(sides.any(axis=2), axis=1)
    both = sides[alive].view(np.uint64).reshape(-1)
    values, cpu = np.zeros(both.size // 2, dtype=np.int64), time.process_time()
    kernels.tables_at(state.variant(KALAH), tables, both, values)
    return 1e9 * (time.process_time() - cpu) / values.size


def solve_start(tables: ExactTables, threads: int, table_bits: int) -> dict[str, Any]:
    """Prove Kalah(6,4) from the endgame tables and an empty transposition table."""
    solver = Solver(KALAH, tables=tables, threads=threads, table_bits=table_bits)
    cpu = time.process_time()
    *_, solution = solver.solve(START)
    return {
        "seeds": tables.seeds,
        "threads": threads,
        "value": solution.value.low,
        "best": solution.best,
        "nodes": solution.nodes,
        "seconds": solution.seconds,
        "cpu_seconds": time.process_time() - cpu,
    }


def stop_lateness() -> dict[str, float]:
    """Stop a search from another thread, again and again: how long it still goes on, in ms."""
    engine = Engine(options=EngineOptions(book=False))
    engine.warm_up()
    late = []
    for _ in range(STOPS):
        stopped: list[float] = []

        def stop(stopped: list[float] = stopped) -> None:
            stopped.append(time.perf_counter())
            engine.stop()

        threading.Timer(0.03, stop).start()
        for _ in engine.think(START, Limit()):
            pass
        late.append(1000 * (time.perf_counter() - stopped[0]))
    return {"median_ms": statistics.median(late), "worst_ms": max(late)}


def searching(root: Path) -> subprocess.Popen[str]:
    """Start a process that searches with the engine of a checkout; ValueError for no checkout."""
    if not (root / "mancala" / "engine").is_dir():
        raise ValueError(f"{root} has no mancala/engine")
    environ = os.environ | {"PYTHONPATH": str(root)}
    command, pipe = [sys.executable, "-P", "-c", SEARCHED], subprocess.PIPE
    process = subprocess.Popen(command, env=environ, stdin=pipe, stdout=pipe, text=True)  # noqa: S603  # our own code
    found = answer(process)
    if not Path(found).is_relative_to(root):
        process.communicate()
        raise ValueError(f"the process for {root} runs {found}")
    return process


def answer(process: subprocess.Popen[str], question: str | None = None) -> str:
    """Return the line that a process answers with; ValueError where it has ended."""
    asked: Any = process.stdin
    answered: Any = process.stdout
    with suppress(BrokenPipeError):
        if question is not None:
            print(question, file=asked, flush=True)
    line = str(answered.readline()).strip()
    if not line:
        raise ValueError(f"a process that searches has ended, with code {process.wait()}")
    return line


def nodes_in_time(other: Path, count: int) -> dict[str, Any]:
    """Compare nodes of timed searches with another checkout's, in middle games of two starts."""
    rng, boards = Random(1), list[Board]()  # noqa: S311  # games need no cryptography
    while len(boards) < count:
        board = Board.start(Rules(seeds=rng.choice((4, 6))))
        for _ in range(rng.randint(4, 12)):
            board = board.sow(rng.choice(board.legal())).board
        if len(board.legal()) > 2 and board.in_play > 34:
            boards.append(board)
    sides = [searching(root.resolve()) for root in (Path(mancala.__file__).parents[1], other)]
    result: dict[str, Any] = {}
    for time_s in TIMES_S:
        found: list[tuple[list[float], list[float]]] = []
        for number, board in enumerate(boards):
            answers: list[list[float]] = [[], []]
            for side in (0, 1) if number % 2 else (1, 0):
                line = answer(sides[side], f"{board.text} {time_s}")
                answers[side] = [float(each) for each in line.split()]
            found.append((answers[0], answers[1]))
        nodes, ms = ([[side[at] for side in each] for each in found] for at in (0, 1))
        result[f"{1000 * time_s:g}_ms"] = {
            "nodes": [round(statistics.mean(side)) for side in zip(*nodes, strict=True)],
            "ms": [1000 * statistics.mean(side) for side in zip(*ms, strict=True)],
            "ratio": statistics.geometric_mean(one / two for one, two in nodes),
        }
    for process in sides:
        process.communicate()
    return result


def main(
    solve_seeds: Annotated[int, typer.Option(help="Endgame tables of the full proof.")] = 20,
    table_bits: Annotated[int, typer.Option(help="Table of the full proof.")] = 21,
    build_seeds: Annotated[int, typer.Option(help="Endgame tables whose build is timed.")] = 20,
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out the full proof.")] = False,
    other: Annotated[Path | None, typer.Option(help="A checkout to compare with instead.")] = None,
    boards: Annotated[int, typer.Option(help="Boards searched for --other.")] = 100,
) -> None:
    """Measure, and print one JSON object."""
    if other is not None:
        with console.bad_input():
            console.emit(nodes_in_time(other, boards))
        return
    twin, tables = compiled(), tables_for(KALAH)
    result: dict[str, Any] = {
        "perft": perft_against(twin, PERFT_DEPTH),
        "search": search_against(twin, tables, MIDDLE),
        "endgame": build_rate(build_seeds),
        "stop": stop_lateness(),
    }
    if not quick:
        large = tablebase.obtain(KALAH, solve_seeds, tablebase.default_cache())
        result["solve"] = [solve_start(large, threads, table_bits) for threads in (1, 2)]
    console.emit(result)


if __name__ == "__main__":
    typer.run(main)
