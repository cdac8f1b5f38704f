"""What every command says and how: one JSON object on stdout, errors on stderr with their code."""

from __future__ import annotations

from typing import NoReturn

import typer

from protocol import codec

FAILED = 1
USAGE = 2


def emit(result: object) -> None:
    """Print one JSON object on stdout, and nothing else there."""
    typer.echo(codec.to_json(result).decode())


def fail(message: str, *, code: int = USAGE) -> NoReturn:
    """Say on stderr what was wrong and leave; 2 for bad usage or input, 1 for a failure.

    Raises:
        typer.Exit: always.
    """
    typer.echo(f"mancala: {message}", err=True)
    raise typer.Exit(code)
