"""``mancala analyze``: evaluate a position and each of its moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mancala.protocol.text import quantity

from ...console.compiling import compile_engine_for, say_first_answer, tables_progress
from ...console.interrupt import end_interrupted, until_interrupted
from ...console.options import JsonOption, RulesOption, TablesOption, rules_of
from ...console.positions import BoardArgument, board_of, unfinished
from ...console.processes.table_advice import advise_tables

if TYPE_CHECKING:
    from mancala.engine.search.engine import MoveValue, Report


def command(
    board: BoardArgument = None,
    rules: RulesOption = "kalah",
    time_s: Annotated[
        float | None,
        typer.Option(
            "--time",
            min=0.0,
            help="Time limit, in seconds. Default: 1, unless another limit is given.",
        ),
    ] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Plies to search.")] = None,
    *,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Threads to search with.")] = 1,
    again_cost: Annotated[
        int, typer.Option(min=0, max=1, help="Plies that an extra turn counts.")
    ] = 1,
    lines: Annotated[
        int, typer.Option(min=1, help="Number of moves to show a principal variation of.")
    ] = 1,
    exact: Annotated[
        bool, typer.Option("--exact", help="Search until the value is proven.")
    ] = False,
    tables: TablesOption = None,
    json: JsonOption = False,
) -> None:
    """Evaluate a position and each of its moves."""
    position = unfinished(board_of(board, rules_of(rules)))
    if time_s is None and depth is None and not exact:
        time_s = 1.0
    report = None
    with until_interrupted() as interruption:
        say_first_answer(position)
        from mancala.engine.evaluation.search_options import SearchOptions
        from mancala.engine.search.engine import Engine, EngineOptions, Limit, with_lines
        from mancala.engine.tablebase import default_seeds

        engine = Engine(
            options=EngineOptions(
                all_moves=True,
                table_bits=20,
                threads=threads,
                tables=tables,
                search=SearchOptions(again_cost=again_cost),
            )
        )
        compile_engine_for("engine", rules=position.rules)
        if sum(map(sum, position.pits)) > default_seeds(position.rules.pits):
            advise_tables(position.rules, ["engine"], tables=tables)
        with tables_progress(position.rules) as progress:
            engine.warm_up(position.rules, progress=progress)
        for newer in engine.think(position, Limit(time_s=time_s, depth=depth)):
            report = newer
            if interruption.happened:  # where the exception was dropped, as some imports do
                break
    if report is None:
        end_interrupted("nothing was searched", json=json)
    report = with_lines(report, engine, lines)
    result, text = report.to_dict(), _analysis_text(report)
    interruption.conclude(result, text, "this is the analysis so far", json=json)


def _analysis_text(report: Report) -> str:
    lines = [_move_text(move, report.lines.get(move.pit, ())) for move in report.moves]
    work = f"depth {report.depth}, {quantity(report.nodes, 'node')}, {report.seconds:.2f} s"
    return "\n".join([*lines, work])


def _move_text(move: MoveValue, pv: tuple[int, ...]) -> str:
    worth = "not searched" if move.value is None else f"{move.value:+.2f}"
    value = f"{move.pit}: {worth}{' exactly' if move.exact else ''}"
    return f"{value}  line {' '.join(map(str, pv))}" if pv else value
