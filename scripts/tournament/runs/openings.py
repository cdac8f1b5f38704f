"""Openings for the games of an event: from a file, from the shipped book, or random."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mancala.protocol.rules import Rules
from mancala.protocol.text import quantity

from ...console import output as console

if TYPE_CHECKING:
    from mancala.engine.openings import Book, Opening


def openings_for(
    rules: Rules, pairs: int, *, seed: int, source: str | None = None
) -> tuple[Opening, ...]:
    """Return an opening for each pair of games; none for the standard start.

    Args:
        rules: the rules played by.
        pairs: number of pairs.
        seed: the same seed gives the same openings.
        source: a file of openings, ``start`` for the standard start, or None for the shipped book.

    Raises:
        typer.Exit: when the file cannot be read or is for other rules.
    """
    from mancala.engine import openings

    if source == "start":
        return ()
    book = openings.shipped(rules) if source is None else read_book(Path(source), rules)
    if source is not None and book is not None and len(book.openings) < pairs:
        console.say(
            f"mancala: {source} holds {quantity(len(book.openings), 'opening')}; "
            f"{pairs - len(book.openings)} of {quantity(pairs, 'pair')} begin from random"
            " positions",
            err=True,
        )
    return openings.choose(book, rules, pairs, seed=seed)


def read_book(path: Path, rules: Rules) -> Book:
    """Return the openings in a file.

    Raises:
        typer.Exit: when it cannot be read or is for other rules.
    """
    from mancala.engine.openings import OpeningsError, read

    try:
        return read(path.read_bytes(), rules)
    except (OSError, OpeningsError) as error:
        console.fail(error, at=path)
