"""``mancala endgame``: build and query the tables of solved endgames."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from mancala.protocol import codec
from mancala.protocol.rules import Board
from mancala.protocol.text import quantity

from ...console import output as console
from ...console.compiling import tables_progress
from ...console.interrupt import INTERRUPTED, end_interrupted, until_interrupted
from ...console.options import JsonOption, RulesOption, TablesOption, rules_of
from ...console.positions import BOARD_FORM, board_of, unfinished

if TYPE_CHECKING:
    from mancala.engine.kernels.state import ExactTables
    from mancala.protocol.rules import Rules

LOWEST_PRIORITY: Final = 19
COUNTED: Final = ("positions", "won", "drawn", "lost")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    tables = typer.Typer(no_args_is_help=True, help="Build and query the endgame tables.")
    tables.command("build")(_build)
    tables.command("probe")(_probe)
    tables.command("verify")(_verify)
    tables.command("count")(_count)
    tables.command("export")(_export)
    app.add_typer(tables, name="endgame")


def _build(
    seeds: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="Most seeds in play; default: by the pits per row. With six pits 16 seeds take"
            " 15 MB, 20 113 MB, 24 624 MB, 30 5.5 GB, in memory while building as on disk. 40 are"
            " the most.",
        ),
    ] = None,
    rules: RulesOption = "kalah",
    *,
    idle: Annotated[
        bool,
        typer.Option(
            "--idle",
            help="Build at the lowest priority, and not at all while another process does.",
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Build the endgame tables.

    All cores take part; the tables are kept in the cache directory, where every command and player
    finds the largest. A file that is there is checked whole. A build that was interrupted or killed
    goes on where it was.
    """
    from mancala.engine import tablebase
    from mancala.engine.kernels.state import positions

    chosen = rules_of(rules)
    directory = tablebase.default_cache()
    if idle:
        os.nice(LOWEST_PRIORITY)
    reach = _reach(chosen, seeds)
    began = time.perf_counter()
    with (
        until_interrupted() as interruption,
        console.progress("endgame tables") as progress,
        console.failing_on(tablebase.NoTablesError, tablebase.BuildBusyError),
    ):
        tablebase.make(chosen, reach, directory, waiting=not idle, progress=progress)
    if interruption.happened:
        end_interrupted("the same command goes on where this one ended", json=json)
    path = _kept(chosen, reach)
    reached = positions(chosen.pits, reach)
    result = {
        "positions": reached,
        "seconds": time.perf_counter() - began,
        "bytes": path.stat().st_size,
        "path": str(path),
    }
    text = f"{quantity(reached, 'position')}, {result['seconds']:.2f} s: {path}"
    console.show(result, text, json=json)


def _probe(
    board: Annotated[str, typer.Argument(help=f"Position, as {BOARD_FORM}.")],
    rules: RulesOption = "kalah",
    *,
    tables: TablesOption = None,
    json: JsonOption = False,
) -> None:
    """Look up a position and each of its moves."""
    from mancala.engine.search.engine import tables_for
    from mancala.engine.tablebase import NoTablesError, value_of

    position = unfinished(board_of(board, rules_of(rules)))
    with tables_progress(position.rules) as progress:
        endgames = tables_for(position.rules, seeds=tables, progress=progress)
    with console.bad_input(NoTablesError):
        value = value_of(position, endgames)
        moves = [
            {
                "pit": pit,
                "value": _for_mover(position, pit, lambda child: value_of(child, endgames)),
            }
            for pit in position.legal()
        ]
    lines = [f"{move['pit']}: {move['value']:+d}" for move in moves]
    console.show({"value": value, "moves": moves}, "\n".join([f"{value:+d}", *lines]), json=json)


def _verify(
    rules: RulesOption = "kalah",
    *,
    tables: TablesOption = None,
    samples: Annotated[int, typer.Option(min=1, help="Random positions to prove.")] = 200,
    seed: Annotated[int | None, typer.Option(help="Seed of the choice; printed.")] = None,
    json: JsonOption = False,
) -> None:
    """Check random positions of the endgame tables against proofs by search."""
    from mancala.engine.solving import check_at_random

    chosen = rules_of(rules)
    drawn = random.randrange(1 << 32) if seed is None else seed  # noqa: S311  # no secret
    began = time.perf_counter()
    endgames = _tables_of(chosen, tables)
    checked, wrong, rng = 0, [], random.Random(drawn)  # noqa: S311  # no secret
    with (
        until_interrupted() as interruption,
        console.counted("positions", samples, quiet=json) as count,
    ):
        for position in check_at_random(chosen, endgames, samples, rng):
            checked += 1
            if position.in_tables != position.proven:
                wrong.append(position)
            count(checked)
    result = {
        "positions": checked,
        "wrong": [found.board.text for found in wrong],
        "seeds": endgames.seeds,
        "seed": drawn,
        "seconds": time.perf_counter() - began,
    }
    lines = [f"{found.board.text}: {found.in_tables:+d}, not {found.proven:+d}" for found in wrong]
    summary = (
        f"{quantity(checked, 'position')} of up to {quantity(endgames.seeds, 'seed')},"
        f" {len(wrong)} wrong"
    )
    console.show(
        interruption.marked(result), "\n".join([*lines, f"{summary} (seed {drawn})"]), json=json
    )
    if interruption.happened:
        raise typer.Exit(INTERRUPTED)
    if wrong:
        raise typer.Exit(console.FAILED)


def _count(
    rules: RulesOption = "kalah", *, tables: TablesOption = None, json: JsonOption = False
) -> None:
    """Count a game's positions that are won, drawn and lost for their mover.

    Tables that reach all seeds of the game solve it strongly: they hold the value of every
    position. Boards of four pits a row and five seeds a pit, or five and four, are small enough.
    """
    chosen = rules_of(rules)
    found = _counted(chosen, _tables_of(chosen, tables), quiet=json)
    console.show(found, _counts_as_text(found), json=json)


def _export(
    folder: Annotated[Path, typer.Argument(help="Folder to write to; made if missing.")],
    rules: RulesOption = "kalah",
    *,
    tables: TablesOption = None,
    json: JsonOption = False,
) -> None:
    """Write the tables of a game as a file for other programs, and a second one that describes it.

    The second, in JSON, has the counts of the command count, the size and the SHA-256. The page
    Endgame tables of the documentation states the format, and has readers in Python and in C.
    """
    from mancala.engine import tablebase
    from mancala.files import write_whole

    chosen = rules_of(rules)
    reach = _reach(chosen, tables)
    directory = tablebase.default_cache()
    with tables_progress(chosen) as progress:
        endgames = tablebase.make(chosen, reach, directory, progress=progress)
    source = _kept(chosen, reach)
    target = folder / source.name
    found = {"file": target.name, **_counted(chosen, endgames, quiet=json)}
    with console.failing_on(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with source.open("rb") as file:
            write_whole(target, partial(shutil.copyfileobj, file))
        with target.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            found |= {"bytes": os.fstat(file.fileno()).st_size, "sha256": digest}
        write_whole(target.with_suffix(".json"), codec.to_json(found, indent=True) + b"\n")
    console.show(found, f"{digest}  {target}", json=json)


def _reach(rules: Rules, seeds: int | None) -> int:
    """Return the seeds that tables are to reach, or are to by default; too many are bad input."""
    from mancala.engine import tablebase

    with console.bad_input():
        reach = seeds or tablebase.default_seeds(rules.pits)
        tablebase.check(rules, reach)
    return reach


def _kept(rules: Rules, seeds: int) -> Path:
    """Return the file of tables that were made, in the cache directory."""
    from mancala.engine import tablebase

    directory = tablebase.default_cache()
    path = tablebase.path_of(rules, seeds, directory)
    if not path.exists():
        console.fail(f"the tables could not be written to {directory}", code=console.FAILED)
    return path


def _counted(rules: Rules, endgames: ExactTables, *, quiet: bool) -> dict[str, Any]:
    """Count the positions of a game by their outcome, in all and by their seeds."""
    from mancala.engine import tablebase
    from mancala.engine.tablebase.counts import counts

    start = Board.start(rules)
    reach = min(start.in_play, endgames.seeds)
    with console.counted("seeds", reach, quiet=quiet) as count:
        found = []
        for each in counts(rules, endgames):
            found.append(each)
            count(each.seeds)
    is_strong = reach == start.in_play
    return {
        "rules": str(rules),
        "seeds": reach,
        "strong": is_strong,
        "value": tablebase.value_of(start, endgames) if is_strong else None,
        **{kind: sum(getattr(each, kind) for each in found) for kind in COUNTED},
        "by_seeds": found,
    }


def _counts_as_text(counted: dict[str, Any]) -> str:
    rules, value, found = (counted[key] for key in ("rules", "value", "by_seeds"))
    known = "not to all seeds" if value is None else f"to all seeds: the start is worth {value:+d}"
    lines = [f"{rules}, tables reach {known}", _columns("seeds", COUNTED)]
    lines += [
        _columns(str(each.seeds), [f"{getattr(each, kind):,}" for kind in COUNTED])
        for each in found
    ]
    return "\n".join([*lines, _columns("all", [f"{counted[kind]:,}" for kind in COUNTED])])


def _columns(first: str, others: Iterable[str]) -> str:
    return f"{first:>5}" + "".join(f"{other:>18}" for other in others)


def _tables_of(rules: Rules, seeds: int | None) -> ExactTables:
    from mancala.engine.search.engine import tables_for

    _reach(rules, seeds)
    with tables_progress(rules) as progress:
        return tables_for(rules, seeds=seeds, progress=progress)


def _for_mover(board: Board, pit: int, value: Callable[[Board], int]) -> int:
    child = board.sow(pit).board
    if child.is_over:
        return child.score(board.player)
    return value(child) if child.player == board.player else -value(child)
