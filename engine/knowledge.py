"""What is known of a position without any search: one answer from book, repertoires, certificates.

Book and repertoires hold values that are proven, with a best move; a certificate holds bounds of
the first plies of a proof. All are of the pits and the mover alone, so stores are added at the end.
All who answer questions on positions ask here first: the engine, ``solve`` and the reviews.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Final, NamedTuple

from mancala.protocol.rules import Board, Rules

from . import book, repertoire

CERTIFICATES: Final = {
    "kalah:seeds=6": "kalah-6-6.jsonl.xz",
    "kalah-empty-capture:seeds=6": "kalah-empty-capture-6-6.jsonl.xz",
}
"""The games whose certificates come with the engine."""


@dataclass(slots=True)
class Bounds:
    """What is proven of a value: at least ``low``, at most ``high``, in seeds."""

    low: int
    high: int

    @property
    def exact(self) -> bool:
        """Whether the value is proven."""
        return self.low == self.high

    def clamp(self, value: float) -> float:
        return min(max(value, self.low), self.high)

    def both(self, other: Bounds) -> Bounds:
        return Bounds(max(self.low, other.low), min(self.high, other.high))

    def __str__(self) -> str:
        """Return a proven value as one signed number, an open one as ``low to high``."""
        return f"{self.low:+d}" if self.exact else f"{self.low:+d} to {self.high:+d}"

    def to_dict(self) -> dict[str, int | bool | None]:
        """Return both bounds as JSON values, and the value once they meet."""
        value = self.low if self.exact else None
        return {"value": value, "exact": self.exact, "low": self.low, "high": self.high}

    def seen(self, ahead: int = 0, *, turned: bool = False) -> Bounds:
        """Return bounds with ``ahead`` seeds more; ``turned``, from those of the other player."""
        if turned:
            return Bounds(ahead - self.high, ahead - self.low)
        return Bounds(ahead + self.low, ahead + self.high)


def widest(board: Board, player: int = 0) -> Bounds:
    """Return what holds of a board's value for a player without any proof."""
    ahead, left = board.score(player), 0 if board.is_over else board.in_play
    return Bounds(ahead - left, ahead + left)


class Known(NamedTuple):
    """What is known of a board, and of its moves by pit, for its mover at the end of the game.

    ``best`` is a move that is proven best; None where none is.
    """

    value: Bounds
    best: int | None
    moves: dict[int, Bounds]


class _KnownPositions(NamedTuple):
    """Bounds of the value-to-go and lines of a repertoire, by its keys; the fewest seeds of all."""

    bounds: dict[str, Bounds]
    lines: Mapping[str, str]
    fewest: int


def known(board: Board) -> Known | None:
    """Return what is known of a board that is not over, and of its moves; None if nothing is."""
    kept = _kept(board.rules.key)
    if not kept.bounds or board.in_play < kept.fewest:
        return None
    value = _bounds_of(board, kept)
    after = {pit: board.sow(pit).board for pit in board.legal()}
    found = {
        pit: None if child.is_over else _bounds_of(child, kept) for pit, child in after.items()
    }
    if value is None and not any(found.values()):
        return None
    me = board.player
    moves = {
        pit: bounds.seen(turned=after[pit].player != me) if bounds else widest(after[pit], me)
        for pit, bounds in found.items()
    }
    return _joined(board, value or widest(board, me), moves)


def _joined(board: Board, value: Bounds, moves: dict[int, Bounds]) -> Known:
    """Return what the bounds of a board and those of its moves say together."""
    value = Bounds(
        max(value.low, *(bounds.low for bounds in moves.values())),
        min(value.high, max(bounds.high for bounds in moves.values())),
    )
    moves = {pit: Bounds(b.low, min(b.high, value.high)) for pit, b in moves.items()}
    best = _best(board, value, moves) if value.exact else None
    if best is not None:
        moves[best] = value
    return Known(value, best, moves)


def _best(board: Board, value: Bounds, moves: dict[int, Bounds]) -> int | None:
    line, entry = repertoire.find(board), book.find(board)
    if line is not None:
        return line.pit
    booked = entry.pit if entry is not None and entry.is_proven else None
    return next((pit for pit, bounds in moves.items() if bounds.low == value.low), booked)


def _bounds_of(board: Board, kept: _KnownPositions) -> Bounds | None:
    key = repertoire.key(board)
    if (line := kept.lines.get(key)) is not None:
        to_go = repertoire.parsed(line).to_go
        bounds: Bounds | None = Bounds(to_go, to_go)
    else:
        bounds = kept.bounds.get(key)
    return bounds and bounds.seen(board.score(board.player))


@cache
def _kept(rules: str) -> _KnownPositions:
    bounds = {
        repertoire.key_of(map(int, key.replace("/", " ").split())): Bounds(
            round(entry.to_go), round(entry.to_go)
        )
        for key, entry in book.proven(rules).items()
    }
    for game, name in CERTIFICATES.items():
        if Rules.parse(game).key == rules:
            content = files("mancala.engine").joinpath("data", name).read_bytes()
            for line in lzma.decompress(content).decode().splitlines()[1:]:
                _add(bounds, json.loads(line))
    lines = repertoire.lines(rules)
    fewest = min(map(repertoire.seeds, chain(bounds, lines)), default=0)
    return _KnownPositions(bounds, lines, fewest)


def _add(bounds: dict[str, Bounds], line: dict[str, object]) -> None:
    """Add what a line of a certificate states of a position without stores."""
    _pits, _, _, *counts = str(line["board"])[1:-1].split(",")
    key, value = repertoire.key_of(map(int, counts)), int(str(line["value"]))
    seeds = repertoire.seeds(key)
    stated = Bounds(value, seeds) if line["bound"] == "low" else Bounds(-seeds, value)
    bounds[key] = bounds.get(key, stated).both(stated)
