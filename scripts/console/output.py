"""What every command says and how: one JSON object on stdout, errors on stderr with their code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from protocol import codec

FAILED = 1
USAGE = 2


def emit(result: object) -> None:
    """Print one JSON object on stdout, and nothing else there."""
    typer.echo(codec.to_json(result).decode())


@contextmanager
def counted(what: str, total: int, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Draw a bar on stderr while something is counted up to a total; ``quiet`` draws none."""
    if quiet:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


def fail(message: str, *, code: int = USAGE) -> NoReturn:
    """Say on stderr what was wrong and leave; 2 for bad usage or input, 1 for a failure.

    Raises:
        typer.Exit: always.
    """
    typer.echo(f"mancala: {message}", err=True)
    raise typer.Exit(code)
