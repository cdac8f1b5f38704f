"""Openings for the games of an event: from a file, from the shipped book, or random."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from protocol.rules import Rules
from scripts.console import output as console

if TYPE_CHECKING:
    from engine.openings import Book, Opening


def openings_for(
    rules: Rules, pairs: int, *, seed: int, source: str | None = None
) -> tuple[Opening, ...]:
    """Choose an opening for each pair of games.

    Args:
        rules: what is played.
        pairs: how many.
        seed: the same seed chooses the same.
        source: a file of openings, ``start`` for the usual start, or None for the book that comes
            with the program.

    Raises:
        typer.Exit: when the file cannot be used.
    """
    from engine import openings

    if source == "start":
        return ()
    book = openings.shipped(rules) if source is None else read_book(Path(source), rules)
    if source is not None and book is not None and len(book.openings) < pairs:
        typer.echo(
            f"mancala: {source} holds {len(book.openings)} openings; "
            f"{pairs - len(book.openings)} of the {pairs} pairs begin at random",
            err=True,
        )
    return openings.choose(book, rules, pairs, seed=seed)


def read_book(path: Path, rules: Rules) -> Book:
    """Read a file of openings.

    Raises:
        typer.Exit: when it cannot be used.
    """
    from engine.openings import OpeningsError, read

    try:
        return read(path.read_bytes(), rules)
    except (OSError, OpeningsError) as error:
        console.fail(f"{path}: {error}")
