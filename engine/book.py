"""The opening book: values and best moves of the first plies of Kalah(6,4), (6,5) and (6,6).

A proof from the start takes seconds to hours; the book holds its results for the positions that
perfect and near-perfect games reach, so that a player knows them at any time control. Where no
proof is within reach an entry may be what the engine made of a position after long thinking; it
says so, and serves only a player that has less time than that. A value depends on pits and mover
alone, so stores are no part of an entry. ``scripts/bench/search/make_book.py`` makes the files, and
``mancala solve`` checks a proven entry.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from mancala.protocol.rules import Board, Rules

VERSION: Final = 1
SHIPPED: Final = ("book_kalah_6x4.json", "book_kalah_6x5.json", "book_kalah_6x6.json")


class Entry(NamedTuple):
    """What is known of a position: the value-to-go in seeds, and a move that reaches it.

    ``thought_s`` is the seconds of thinking that it comes from; None when it is proven.
    """

    to_go: float
    pit: int
    thought_s: float | None = None

    @property
    def is_proven(self) -> bool:
        """Whether the value is exact and the move the best."""
        return self.thought_s is None

    def serves(self, time_s: float | None) -> bool:
        """Return whether a player with a time limit, or with none, does no better itself."""
        return self.thought_s is None or (time_s is not None and time_s <= self.thought_s)


def key(board: Board) -> str:
    """Write the pits of a board, the mover's first."""
    me = board.player
    return "/".join(" ".join(map(str, board.pits[player])) for player in (me, 1 - me))


def document(rules: Rules, entries: dict[str, Entry], provenance: str) -> str:
    """Return a book as the text of its file, one entry a line."""
    lines = ",\n".join(
        f"  {json.dumps(k)}: {json.dumps(_shown(entries[k]))}" for k in sorted(entries)
    )
    head = {"version": VERSION, "rules": rules.key, "provenance": provenance}
    return json.dumps(head)[:-1] + ',\n "entries": {\n' + lines + "\n }}\n"


def _shown(entry: Entry) -> tuple[Any, ...]:
    return entry[:2] if entry.is_proven else entry


def read(document: str) -> tuple[str, dict[str, Entry]]:
    """Read a file's text: the key of its rules, and the entries; ValueError for another version."""
    body = json.loads(document)
    if body["version"] != VERSION:
        raise ValueError(f"a book of version {body['version']}; this engine reads {VERSION}")
    return body["rules"], {key: Entry(*entry) for key, entry in body["entries"].items()}


@cache
def _shipped() -> dict[str, dict[str, Entry]]:
    books: dict[str, dict[str, Entry]] = {}
    for name in SHIPPED:
        text = files("mancala.engine").joinpath("data", name).read_text(encoding="utf-8")
        rules, entries = read(text)
        books.setdefault(rules, {}).update(entries)
    return books


def proven(rules: str) -> dict[str, Entry]:
    """Return the proven entries for the rules of a key, by the key of their pits."""
    entries = _shipped().get(rules, {})
    return {pits: entry for pits, entry in entries.items() if entry.is_proven}


def find(board: Board) -> Entry | None:
    """Look a board up; None where the book has nothing on it."""
    return _shipped().get(board.rules.key, {}).get(key(board))
