"""Options that several commands share, and how they are read."""

from __future__ import annotations

from typing import Annotated

import typer

from protocol.rules import InvalidPositionError, Rules
from scripts.console import output as console

RulesOption = Annotated[
    str, typer.Option("--rules", help="A preset, or one with changes: article:pits=4,seeds=3.")
]
TablesOption = Annotated[
    int | None,
    typer.Option(
        "--tables",
        min=2,
        max=31,
        help="Seeds that the endgame tables reach, built if missing. Default: the largest that"
        " `endgame build` left in the cache, or 16 seeds of Kalah(6,n), 30 MB. With six pits a row"
        " 20 seeds take 225 MB, 22 548 MB, 24 1.25 GB; processes share them.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def rules_of(text: str) -> Rules:
    """Return the rules that ``--rules`` names.

    Raises:
        typer.Exit: when no rules have this name or these changes.
    """
    try:
        return Rules.parse(text)
    except InvalidPositionError as error:
        console.fail(str(error))
