"""``mancala solve``: prove the exact value of a position."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from mancala.protocol.text import quantity

from ...console import output as console
from ...console.compiling import tables_progress
from ...console.interrupt import end_interrupted, until_interrupted
from ...console.options import JsonOption, RulesOption, TablesOption
from ...console.positions import DEFAULT, PitsOption, SeedsOption, StartArgument, start_of

if TYPE_CHECKING:
    from mancala.engine.search.solver import Solution


def command(
    board: StartArgument = None,
    rules: RulesOption = DEFAULT,
    pits: PitsOption = None,
    seeds: SeedsOption = None,
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
    position = start_of(board, rules, pits, seeds)
    solution: Solution | None = None
    with until_interrupted() as interruption:
        from mancala.engine.solving import solve

        with (
            tables_progress(position.rules) as progress,
            console.said_now_and_then("the proof") as said,
        ):
            for newer in solve(
                position,
                time_s=time_s,
                all_moves=all_moves,
                threads=threads,
                tables=tables,
                progress=progress,
            ):
                _report(solution, newer)
                said(f"{newer.value}, {quantity(newer.nodes, 'node')}")
                solution = newer
    if solution is None:
        end_interrupted("no bound was proven", json=json)
    so_far = "these are the bounds proven so far"
    interruption.conclude(solution.to_dict(), _text(solution), so_far, json=json)


def _report(before: Solution | None, found: Solution) -> None:
    if not found.nodes:
        console.say(f"known without a search: {found.value}", err=True)
    elif before is None or not before.nodes or before.value != found.value:
        console.say(f"{found.seconds:8.1f} s  {found.value}", err=True)


def _text(solution: Solution) -> str:
    lines = [f"{pit}: {bounds}" for pit, bounds in solution.moves.items()]
    work = f"{quantity(solution.nodes, 'node')}, {solution.seconds:.2f} s"
    return "\n".join([str(solution.value), *lines, work])
