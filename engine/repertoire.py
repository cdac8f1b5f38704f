"""A repertoire: for each seat one proven move against all that the other side may play.

The book holds the first plies after errors of either side; a repertoire follows one seat's best
moves and every reply down to where tables or a short search are exact. So a player that keeps to it
never falls below the value of the start. ``scripts/bench/search/make_repertoire.py`` makes the
files: a line of JSON, then a line a position: its key, the value-to-go and a move that reaches it.
A key has one character a pit, the mover's first, the count added to ``0``.
"""

import json
import lzma
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from mancala.protocol.rules import Board

VERSION: Final = 1
SHIPPED: Final = ("repertoire-kalah-6-4.txt.xz",)


class ProvenMove(NamedTuple):
    """A proven value-to-go, in seeds, and a move that reaches it."""

    to_go: int
    pit: int


def key(board: Board) -> str:
    """Write the pits of a board, one character a pit, the mover's first."""
    me = board.player
    return key_of(board.pits[me] + board.pits[1 - me])


def key_of(counts: Iterable[int]) -> str:
    """Write counts of pits, the mover's first, one character each."""
    return "".join(chr(48 + count) for count in counts)


def document(rules: str, lines: Mapping[str, ProvenMove], provenance: str) -> bytes:
    """Write a repertoire for the rules of a key as the bytes of its file."""
    head = json.dumps({"version": VERSION, "rules": rules, "provenance": provenance})
    body = [f"{position} {line.to_go} {line.pit}" for position, line in sorted(lines.items())]
    return lzma.compress("\n".join([head, *body]).encode())


def read(document: bytes) -> tuple[str, dict[str, str]]:
    """Return the key of the rules and each position's line, from a file's bytes."""
    head, *body = lzma.decompress(document).decode().split("\n")
    said = json.loads(head)
    if said["version"] != VERSION:
        raise ValueError(f"a repertoire of version {said['version']}; this engine reads {VERSION}")
    return said["rules"], {text[: text.index(" ")]: text for text in body}


def parsed(text: str) -> ProvenMove:
    """Read the text of a position's line."""
    _, to_go, pit = text.split(" ")
    return ProvenMove(int(to_go), int(pit))


def find(board: Board) -> ProvenMove | None:
    """Look a board up; None where no repertoire of its rules has it."""
    text = lines(board.rules.key).get(key(board))
    return None if text is None else parsed(text)


def lines(rules: str) -> Mapping[str, str]:
    """Return the text of each position's line for the rules of a key, by the position's key."""
    return _shipped().get(rules, {})


def seeds(position: str) -> int:
    """Return the seeds in play of the position of a key."""
    return sum(position.encode()) - 48 * len(position)


@cache
def _shipped() -> dict[str, dict[str, str]]:
    lines: dict[str, dict[str, str]] = {}
    for name in SHIPPED:
        rules, found = read(files("mancala.engine").joinpath("data", name).read_bytes())
        lines.setdefault(rules, {}).update(found)
    return lines
