"""``mancala perft``, ``analyze``, ``solve``, ``endgame`` and ``bench``: asking the engine.

Values are differences of stores at the end of the game, for the mover, counted from the stores as
they stand on the board.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from protocol.rules import Board, Rules
from scripts.console import output as console
from scripts.console.options import JsonOption, RulesOption, rules_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.search import MoveValue, Report
    from engine.solver import Bounds, Solution

BENCH_DEPTH: Final = 19
BENCH_BOARDS: Final = (
    "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>",
    "<6,1,0,4,4,0,5,5,5,4,4,4,4,4,4>",
    "<6,2,7,5,1,7,0,6,2,0,3,6,6,1,2>",
    "<6,9,4,0,6,1,7,2,0,5,5,0,1,6,2>",
    "<6,13,9,3,0,4,1,0,6,2,2,4,0,3,1>",
    "<6,0,0,6,6,6,6,6,6,6,6,6,6,6,6>",
)
"""What ``bench`` searches: the start, a reply, three middle games, and the start of Kalah(6,6)."""

BoardArgument = Annotated[
    str | None, typer.Argument(help="<m,store,other store,pits…,other pits…>; the start if none.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("perft")(_perft)
    app.command("analyze")(_analyze)
    app.command("solve")(_solve)
    app.command("bench")(_bench)
    tables = typer.Typer(no_args_is_help=True, help="Exact tables of positions with few seeds.")
    tables.command("build")(_endgame_build)
    tables.command("probe")(_endgame_probe)
    app.add_typer(tables, name="endgame")


def _perft(
    depth: Annotated[int, typer.Argument(min=0, help="Plies; every sowing is one.")],
    board: BoardArgument = None,
    rules: RulesOption = "kalah",
    *,
    json: JsonOption = False,
) -> None:
    """Count the leaves of the game tree at a depth; a finished game is one leaf."""
    from engine.perft import perft

    position = _board(board, rules_of(rules))
    perft(position, 1)  # so that the time below is not the compiler's
    began = time.perf_counter()
    leaves = perft(position, depth)
    seconds = time.perf_counter() - began
    result = {"nodes": leaves, "seconds": seconds, "nps": _rate(leaves, seconds)}
    _say(result, f"{leaves} leaves in {seconds:.3f} s", json=json)


def _analyze(
    board: BoardArgument = None,
    rules: RulesOption = "kalah",
    time_s: Annotated[
        float | None, typer.Option("--time", min=0.0, help="Seconds; 1 if nothing else limits it.")
    ] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Plies.")] = None,
    *,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Threads.")] = 1,
    again_cost: Annotated[
        int, typer.Option(min=0, max=1, help="Plies that an extra turn costs.")
    ] = 1,
    lines: Annotated[int, typer.Option(min=1, help="Moves that get their expected line.")] = 1,
    exact: Annotated[bool, typer.Option("--exact", help="Go on until it is proven.")] = False,
    json: JsonOption = False,
) -> None:
    """Say what the engine thinks of a position."""
    from engine.search import Engine, EngineOptions, Limit
    from engine.search_options import SearchOptions

    position = _unfinished(_board(board, rules_of(rules)))
    if time_s is None and depth is None and not exact:
        time_s = 1.0
    engine = Engine(
        options=EngineOptions(
            all_moves=True,
            table_bits=20,
            threads=threads,
            search=SearchOptions(again_cost=again_cost),
        )
    )
    with _progress("endgame tables") as progress:
        engine.warm_up(position.rules, progress=progress)
    report = _last(engine.think(position, Limit(time_s=time_s, depth=depth)))
    pvs = {move.pit: engine.line_from(move.pit) for move in report.moves[:lines]}
    _say(_analysis(report, pvs), _analysis_text(report, pvs), json=json)


def _solve(
    board: BoardArgument = None,
    rules: RulesOption = "kalah",
    pits: Annotated[int | None, typer.Option(min=1, max=16, help="Pits a row.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Seeds a pit at the start.")] = None,
    time_s: Annotated[float | None, typer.Option("--time", min=0.0, help="Seconds.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads.")] = os.cpu_count() or 1,
    *,
    json: JsonOption = False,
) -> None:
    """Prove what a position and each of its moves are worth.

    Out of time, or interrupted, it gives the bounds that are proven by then.
    """
    from engine.search import tables_for
    from engine.solver import Solver

    chosen = rules_of(rules)
    if board is not None and (pits or seeds):
        console.fail("give a board, or --pits and --seeds, not both")
    with _bad_input():
        chosen = replace(chosen, pits=pits or chosen.pits, seeds=seeds or chosen.seeds)
    position = _unfinished(_board(board, chosen))
    with _progress("endgame tables") as progress:
        tables = tables_for(position.rules, progress=progress)
    bits = _solver_bits(position)
    solver = Solver(position.rules, tables=tables, table_bits=bits, threads=threads)
    solution = _watched(solver.solve(position, every_move=True), time_s)
    _say(_solved(solution), _solved_text(solution), json=json)


def _bench(*, json: JsonOption = False) -> None:
    """Search fixed positions to a fixed depth: the nodes are the search's signature."""
    from engine.search import Engine, EngineOptions, Limit

    options = EngineOptions(endgame_seeds=2, cache=None)
    Engine(options=options).warm_up()
    nodes, began = 0, time.perf_counter()
    for text in BENCH_BOARDS:
        engine = Engine(options=options)
        nodes += _last(engine.think(Board.from_text(text), Limit(depth=BENCH_DEPTH))).nodes
    seconds = time.perf_counter() - began
    result = {
        "signature": nodes,
        "nodes": nodes,
        "seconds": seconds,
        "nps": _rate(nodes, seconds),
    }
    _say(result, f"signature {nodes}: {seconds:.2f} s, {result['nps']} nodes/s", json=json)


def _endgame_build(
    seeds: Annotated[int | None, typer.Option(min=2, help="Seeds that the tables reach.")] = None,
    rules: RulesOption = "kalah",
    *,
    json: JsonOption = False,
) -> None:
    """Build the endgame tables, all cores, and keep them in the cache directory."""
    from engine import tablebase
    from engine.state import positions

    chosen = rules_of(rules)
    reach = seeds or tablebase.default_seeds(chosen.pits)
    with _bad_input():
        tablebase.check(chosen, reach)
    directory = tablebase.default_cache()
    began = time.perf_counter()
    with _progress("endgame tables") as progress:
        tablebase.obtain(chosen, reach, directory, progress=progress)
    path = tablebase.path_of(chosen, reach, directory)
    if not path.exists():
        console.fail(f"the tables could not be written to {directory}", code=console.FAILED)
    result = {
        "positions": positions(chosen.pits, reach),
        "seconds": time.perf_counter() - began,
        "bytes": path.stat().st_size,
        "path": str(path),
    }
    _say(result, f"{result['positions']} positions, {result['seconds']:.2f} s: {path}", json=json)


def _endgame_probe(
    board: Annotated[str, typer.Argument(help="<m,store,other store,pits…,other pits…>")],
    rules: RulesOption = "kalah",
    *,
    json: JsonOption = False,
) -> None:
    """Look a position up in the tables, with all its moves."""
    from engine.search import tables_for
    from engine.tablebase import NoTablesError, value_of

    position = _unfinished(_board(board, rules_of(rules)))
    with _progress("endgame tables") as progress:
        tables = tables_for(position.rules, progress=progress)
    try:
        value = value_of(position, tables)
        moves = [
            {"pit": pit, "value": _for_mover(position, pit, lambda child: value_of(child, tables))}
            for pit in position.legal()
        ]
    except NoTablesError as error:
        console.fail(str(error))
    lines = [f"{move['pit']}: {move['value']:+d}" for move in moves]
    _say({"value": value, "moves": moves}, "\n".join([f"{value:+d}", *lines]), json=json)


def _for_mover(board: Board, pit: int, value: Callable[[Board], int]) -> int:
    child = board.sow(pit).board
    if child.is_over:
        return child.score(board.player)
    return value(child) if child.player == board.player else -value(child)


def _board(text: str | None, rules: Rules) -> Board:
    with _bad_input():
        return Board.start(rules) if text is None else Board.from_text(text, rules)


def _unfinished(board: Board) -> Board:
    if board.is_over:
        console.fail(f"the game is over: {board.text}")
    return board


@contextmanager
def _bad_input() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        console.fail(str(error))


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Draw a bar on stderr, once there is progress to show."""
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=None)

    def show(done: int, total: int) -> None:
        bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield show
    finally:
        if bar.live.is_started:
            bar.stop()


def _last(reports: Iterator[Report]) -> Report:
    *_, last = reports
    return last


def _watched(snapshots: Iterator[Solution], time_s: float | None) -> Solution:
    """Follow a proof to its end, its time limit or Ctrl-C, saying each change on stderr."""
    last: Solution | None = None
    shown: Bounds | None = None
    try:
        for last in snapshots:
            if last.value != shown:
                shown = last.value
                typer.echo(f"{last.seconds:8.1f} s  {_bounds_text(shown)}", err=True)
            if time_s is not None and last.seconds >= time_s:
                break
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
    if last is None:
        console.fail("interrupted before anything was proven", code=console.FAILED)
    return last


def _solver_bits(board: Board) -> int:
    """Size the solver's table by what is to be proven: 16 MB to 1 GB."""
    return 18 if board.in_play <= 28 else 20 if board.in_play <= 36 else 24


def _analysis(report: Report, pvs: dict[int, tuple[int, ...]]) -> dict[str, Any]:
    return {
        "best": report.pit,
        "value": _number(report.value, exact=report.exact),
        "exact": report.exact,
        "depth": report.depth,
        "nodes": report.nodes,
        "seconds": report.seconds,
        "nps": _rate(report.nodes, report.seconds),
        "pv": list(report.pv),
        "moves": [
            {
                "pit": move.pit,
                "value": _number(move.value, exact=move.exact),
                "exact": move.exact,
                **({"pv": list(pvs[move.pit])} if move.pit in pvs else {}),
            }
            for move in report.moves
        ],
    }


def _analysis_text(report: Report, pvs: dict[int, tuple[int, ...]]) -> str:
    lines = [_move_text(move, pvs.get(move.pit, ())) for move in report.moves]
    work = f"depth {report.depth}, {report.nodes} nodes, {report.seconds:.2f} s"
    return "\n".join([*lines, work])


def _move_text(move: MoveValue, pv: tuple[int, ...]) -> str:
    value = f"{move.pit}: {move.value:+.2f}{' exactly' if move.exact else ''}"
    return f"{value}  line {' '.join(map(str, pv))}" if pv else value


def _solved(solution: Solution) -> dict[str, Any]:
    return {
        **_bounds(solution.value),
        "best": solution.best,
        "moves": [{"pit": pit, **_bounds(bounds)} for pit, bounds in solution.moves.items()],
        "nodes": solution.nodes,
        "seconds": solution.seconds,
    }


def _solved_text(solution: Solution) -> str:
    lines = [f"{pit}: {_bounds_text(bounds)}" for pit, bounds in solution.moves.items()]
    work = f"{solution.nodes} nodes, {solution.seconds:.2f} s"
    return "\n".join([_bounds_text(solution.value), *lines, work])


def _bounds(bounds: Bounds) -> dict[str, Any]:
    return {
        "value": bounds.low if bounds.exact else None,
        "exact": bounds.exact,
        "low": bounds.low,
        "high": bounds.high,
    }


def _bounds_text(bounds: Bounds) -> str:
    return f"{bounds.low:+d}" if bounds.exact else f"{bounds.low:+d} to {bounds.high:+d}"


def _number(value: float, *, exact: bool) -> float:
    return int(value) if exact else round(value, 3)


def _rate(count: int, seconds: float) -> int:
    return round(count / seconds) if seconds > 0 else 0


def _say(result: dict[str, Any], text: str, *, json: bool) -> None:
    if json:
        console.emit(result)
    else:
        typer.echo(text)
    sys.stdout.flush()
