"""``mancala solve``: prove the exact value of a position.

A value is the difference of stores at the end of the game, for the mover, counted from the stores
as they stand on the board.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mancala.protocol.rules import Board
from mancala.protocol.text import quantity

from ...analysis.bounds import bounds_fields, bounds_text
from ...analysis.positions import BoardArgument, board_of, unfinished
from ...console import output as console
from ...console.interrupt import end_interrupted, until_interrupted
from ...console.options import JsonOption, RulesOption, TablesOption, rules_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mancala.engine.knowledge import Bounds, Known
    from mancala.engine.search.solver import Solution


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("solve")(_solve)


def _solve(
    board: BoardArgument = None,
    rules: RulesOption = "kalah",
    pits: Annotated[int | None, typer.Option(min=1, max=16, help="Pits per row.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Seeds per pit at the start.")] = None,
    time_s: Annotated[
        float | None, typer.Option("--time", min=0.0, help="Stop after this time, in seconds.")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads to search with.")] = os.cpu_count()
    or 1,
    *,
    tables: TablesOption = None,
    all_moves: Annotated[
        bool, typer.Option("--all-moves", help="Prove every move even if the value is known.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Prove the exact value of a position and of each move.

    What the book and the certificates know is printed first, and is part of the answer. If that is
    the value, nothing is searched without --time or --all-moves; other moves then have bounds. When
    time runs out, or on Ctrl-C, the bounds proven so far are printed.
    """
    from mancala.engine.knowledge import known
    from mancala.engine.search.engine import tables_for
    from mancala.engine.search.solver import Solution, Solver

    chosen = rules_of(rules)
    if board is not None and (pits or seeds):
        console.fail("give a board or --pits and --seeds, not both")
    with console.bad_input():
        chosen = replace(chosen, pits=pits or chosen.pits, seeds=seeds or chosen.seeds)
    position = unfinished(board_of(board, chosen))
    sure = known(position)
    solution = None if sure is None else Solution.of(sure)
    if sure is not None:
        console.say(f"known without a search: {bounds_text(sure.value)}", err=True)
        searches = all_moves or time_s is not None
        if sure.value.exact and not (searches and _open_moves(sure)):
            found = Solution.of(sure)
            console.show(_solved(found), _solved_text(found), json=json)
            return
    with until_interrupted() as interruption:
        with console.progress("endgame tables") as progress:
            endgames = tables_for(position.rules, seeds=tables, progress=progress)
        bits = _solver_bits(position)
        solver = Solver(position.rules, tables=endgames, table_bits=bits, threads=threads)
        for newer in _reported(solver.solve(position, every_move=True), time_s):
            solution = newer.with_known(sure)
            if all(bounds.exact for bounds in solution.moves.values()):
                break
    if solution is None:
        end_interrupted("no bound was proven", json=json)
    console.show(interruption.marked(_solved(solution)), _solved_text(solution), json=json)
    if interruption.happened:
        end_interrupted("these are the bounds proven so far")


def _open_moves(sure: Known) -> bool:
    """Return whether there is a move whose value is not known."""
    return not all(bounds.exact for bounds in sure.moves.values())


def _reported(snapshots: Iterator[Solution], time_s: float | None) -> Iterator[Solution]:
    """Yield the snapshots until the proof or the time is over; report new bounds on stderr."""
    shown: Bounds | None = None
    for snapshot in snapshots:
        yield snapshot
        if snapshot.value != shown:
            shown = snapshot.value
            console.say(f"{snapshot.seconds:8.1f} s  {bounds_text(shown)}", err=True)
        if time_s is not None and snapshot.seconds >= time_s:
            break


def _solver_bits(board: Board) -> int:
    """Return the size of the solver's table, by the seeds in play: 16 MB to 1 GB."""
    return 18 if board.in_play <= 28 else 20 if board.in_play <= 36 else 24


def _solved(solution: Solution) -> dict[str, Any]:
    return {
        **bounds_fields(solution.value),
        "best": solution.best,
        "moves": [{"pit": pit, **bounds_fields(bounds)} for pit, bounds in solution.moves.items()],
        "nodes": solution.nodes,
        "seconds": solution.seconds,
    }


def _solved_text(solution: Solution) -> str:
    lines = [f"{pit}: {bounds_text(bounds)}" for pit, bounds in solution.moves.items()]
    work = f"{quantity(solution.nodes, 'node')}, {solution.seconds:.2f} s"
    return "\n".join([bounds_text(solution.value), *lines, work])
