"""Options that several commands share, and how they are read."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

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
        console.fail(error)


class NumberCommand(TyperCommand):
    """A command with a number among its arguments: ``-3`` is that number, and no option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  # by typer's version
        """Read the command line; refuse a negative number as the argument that it is."""
        if any(re.fullmatch(r"-\d+", word) for word in args):
            ctx.ignore_unknown_options = True
        return super().parse_args(ctx, args)
