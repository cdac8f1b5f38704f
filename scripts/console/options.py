"""Options that many commands have, and how they are read."""

from __future__ import annotations

from typing import Annotated

import typer

from protocol.rules import InvalidPositionError, Rules
from scripts.console import output as console

RulesOption = Annotated[
    str, typer.Option("--rules", help="A preset, with changes: kalah, or article:pits=4,seeds=3.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]


def rules_of(text: str) -> Rules:
    """Read what ``--rules`` was given.

    Raises:
        typer.Exit: when there are no such rules.
    """
    try:
        return Rules.parse(text)
    except InvalidPositionError as error:
        console.fail(str(error))
