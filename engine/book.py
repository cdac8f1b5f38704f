"""The opening book: proven values and best moves of the first plies of Kalah(6,4).

A proof from the start takes seconds to minutes; the book holds its results for the positions that
perfect and near-perfect games reach, so that a player knows them at any time control. A value
depends on pits and mover alone, so stores are no part of an entry. ``scripts/make_book.py`` makes
the file with the solver, and anybody can check it with ``mancala solve``.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from protocol.rules import Board, Rules

VERSION: Final = 1
SHIPPED: Final = ("book_kalah_6x4.json",)


class Entry(NamedTuple):
    """What is proven of a position: the value-to-go in seeds, and a move that reaches it."""

    to_go: int
    pit: int


def key(board: Board) -> str:
    """Write the pits of a board, the mover's first."""
    me = board.player
    return "/".join(" ".join(map(str, board.pits[player])) for player in (me, 1 - me))


def document(rules: Rules, entries: dict[str, Entry], provenance: str) -> str:
    """Write a book as the text of its file, one entry a line."""
    lines = ",\n".join(f"  {json.dumps(k)}: {json.dumps(entries[k])}" for k in sorted(entries))
    head = {"version": VERSION, "rules": play_of(rules), "provenance": provenance}
    return json.dumps(head)[:-1] + ',\n "entries": {\n' + lines + "\n }}\n"


def play_of(rules: Rules) -> str:
    """Name what of the rules matters to a position: how its game starts does not."""
    return f"{rules.pits} {rules.capture.value} relap={rules.relap} majority={rules.majority}"


@cache
def _shipped() -> dict[str, dict[str, Entry]]:
    books: dict[str, dict[str, Entry]] = {}
    for name in SHIPPED:
        body = json.loads(files("engine").joinpath("data", name).read_text(encoding="utf-8"))
        if body["version"] == VERSION:
            entries = {k: Entry(*entry) for k, entry in body["entries"].items()}
            books.setdefault(body["rules"], {}).update(entries)
    return books


def find(board: Board) -> Entry | None:
    """Look a board up; None where the book has nothing on it."""
    return _shipped().get(play_of(board.rules), {}).get(key(board))
