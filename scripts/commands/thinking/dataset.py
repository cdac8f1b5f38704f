"""``mancala dataset``: positions with the exact values of all moves, for learners."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mancala.protocol.text import quantity, whole_number

from ...console import output as console
from ...console.compiling import tables_progress
from ...console.interrupt import end_interrupted, until_interrupted
from ...console.options import JsonOption, RulesOption, TablesOption, rules_of
from ...console.playing import ProcessOptions, failures

if TYPE_CHECKING:
    from mancala.engine.dataset_files import DatasetCard
    from mancala.engine.hard_positions import HardCard

MOST_NODES: Final = 20_000_000
SEEDS: Final = "8-32"
SHARD: Final = 5000
POSITIONS: Final = 100_000
HARD_POSITIONS: Final = 300


def command(
    directory: Annotated[Path, typer.Argument(help="Folder for the files; made if missing.")],
    *,
    positions: Annotated[
        int | None,
        typer.Option(
            min=1, help=f"Number of positions. [default: {POSITIONS}; --hard: {HARD_POSITIONS}]"
        ),
    ] = None,
    hard: Annotated[
        bool,
        typer.Option(
            "--hard", help="Proven positions in which rules of thumb fail, as lines of JSON."
        ),
    ] = False,
    seeds: Annotated[
        str,
        typer.Option(help="Fewest and most seeds in play; an equal number of positions for each."),
    ] = SEEDS,
    rules: RulesOption = "kalah",
    nodes: Annotated[
        int, typer.Option(min=1, help="A proof of more nodes than this ends with bounds.")
    ] = MOST_NODES,
    shard: Annotated[int, typer.Option(min=1, help="Positions in a file.")] = SHARD,
    seed: Annotated[int, typer.Option(help="The same seed makes the same positions.")] = 1,
    tables: TablesOption = None,
    place: ProcessOptions,
    json: JsonOption = False,
) -> None:
    """Write positions with the exact values of all moves, for learners and their tests.

    The positions come from games of mixed quality. Each file is one NumPy array of records; the
    card (README.md, card.json) says how they were made, what they hold and their hashes. The same
    command goes on where an interrupted one ended. Hard positions are for tests of models: two of
    three are taken only where no rule of thumb is best, and --seeds, --nodes, --shard and --tables
    do not apply.
    """
    chosen, span = rules_of(rules), _range_of(seeds)
    if hard and (seeds, nodes, shard, tables) != (SEEDS, MOST_NODES, SHARD, None):
        console.fail("--hard goes without --seeds, --nodes, --shard and --tables")
    wanted = positions or (HARD_POSITIONS if hard else POSITIONS)
    began = time.monotonic()
    with until_interrupted() as interruption, failures():
        from mancala import headless
        from mancala.engine.search.engine import tables_for

        with tables_progress(chosen) as progress:
            reach = tables_for(chosen, seeds=tables, progress=progress).seeds
        with console.counted("positions", wanted, quiet=json) as made:
            make: Callable[..., DatasetCard | HardCard] = headless.hard_positions
            if not hard:
                make = partial(headless.dataset, seeds=span, nodes=nodes, shard=shard, tables=reach)
            with (
                console.failing_on(OSError),
                console.bad_input(ValueError, FileExistsError, NotADirectoryError),
            ):
                card = make(
                    directory,
                    positions=wanted,
                    rules=chosen,
                    seed=seed,
                    workers=place.workers,
                    cluster=place.cluster,
                    on_made=made,
                )
    if interruption.happened:
        end_interrupted("the same command goes on where this one ended", json=json)
    result = {**card.to_dict(directory), "seconds": round(time.monotonic() - began, 3)}
    distinct = f", {result['distinct']} distinct" if "distinct" in result else ""
    text = (
        f"{quantity(card.positions, 'position')} in {quantity(len(result['files']), 'file')}:"
        f" {directory}\n"
        f"{result['exact']} with a proven value for each move{distinct}"
    )
    console.show(result, text, json=json)


def _range_of(text: str) -> tuple[int, int]:
    """Read ``LEAST-MOST``, or one number for both."""
    least, dash, most = text.partition("-")
    try:
        return whole_number(least), whole_number(most if dash else least)
    except ValueError:
        console.fail(f"--seeds must be a range such as 8-32, not {text!r}")
