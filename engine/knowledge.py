"""What is known of a position without any search: one answer from book, repertoires, certificates.

Book and repertoires hold values that are proven, with a best move; a certificate holds bounds of
the first plies of a proof. All are of the pits and the mover alone, so stores are added at the end.
All who answer questions on positions ask here first: the engine, ``solve`` and the reviews.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from mancala.protocol.rules import Board, Rules

from . import book, repertoire

CERTIFICATES: Final = ("kalah-6-6.jsonl.gz",)


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
        """Bring an estimate into the bounds."""
        return min(max(value, self.low), self.high)

    def both(self, other: Bounds) -> Bounds:
        """Return what this and other bounds say together."""
        return Bounds(max(self.low, other.low), min(self.high, other.high))

    def __str__(self) -> str:
        """Return a proven value as one signed number, an open one as ``low to high``."""
        return f"{self.low:+d}" if self.exact else f"{self.low:+d} to {self.high:+d}"

    def to_dict(self) -> dict[str, int | bool | None]:
        """Return both bounds as JSON values, and the value once they meet."""
        value = self.low if self.exact else None
        return {"value": value, "exact": self.exact, "low": self.low, "high": self.high}


class Known(NamedTuple):
    """What is known of a board.

    Attributes:
        value: of the board, for the mover: the difference of stores at the end.
        best: a move that is proven best; None where none is.
        moves: of each move, by pit.
    """

    value: Bounds
    best: int | None
    moves: dict[int, Bounds]


class _KnownPositions(NamedTuple):
    """What is kept of the positions of some rules.

    Attributes:
        bounds: of the value-to-go, by the key of the pits; those of repertoires are apart.
        fewest: seeds in play of the positions, at least, with those of repertoires.
    """

    bounds: dict[str, Bounds]
    fewest: int


def known(board: Board) -> Known | None:
    """Return what is known of a board that is not over, and of its moves; None if nothing is."""
    kept = _kept(board.rules.key)
    if not kept.bounds or board.in_play < kept.fewest:
        return None
    value = _bounds_of(board, kept.bounds)
    moves = {pit: _bounds_of_move(board, pit, kept.bounds) for pit in board.legal()}
    if value is None and not any(moves.values()):
        return None
    return _joined(board, value or _widest(board), moves)


def _joined(board: Board, value: Bounds, found: dict[int, Bounds | None]) -> Known:
    """Return what the bounds of a board and those of its moves say together."""
    moves = {pit: bounds or _widest(board, pit) for pit, bounds in found.items()}
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


def _bounds_of(board: Board, kept: dict[str, Bounds]) -> Bounds | None:
    """Return what is kept of a board, with its stores."""
    bounds = kept.get(book.key(board))
    if (line := repertoire.find(board)) is not None:
        bounds = Bounds(line.to_go, line.to_go)
    if bounds is None:
        return None
    ahead = board.score(board.player)
    return Bounds(bounds.low + ahead, bounds.high + ahead)


def _bounds_of_move(board: Board, pit: int, kept: dict[str, Bounds]) -> Bounds | None:
    after = board.sow(pit).board
    if after.is_over:
        return None
    bounds = _bounds_of(after, kept)
    return bounds and _seen_by(board, after, bounds)


def _widest(board: Board, pit: int | None = None) -> Bounds:
    """Return what holds of a board, or of a move, without any proof."""
    after = board if pit is None else board.sow(pit).board
    ahead, left = after.score(board.player), 0 if after.is_over else after.in_play
    return Bounds(ahead - left, ahead + left)


def _seen_by(board: Board, after: Board, bounds: Bounds) -> Bounds:
    """Return the mover's view of the bounds of the position after its move."""
    if after.player == board.player:
        return bounds
    return Bounds(-bounds.high, -bounds.low)


@cache
def _kept(rules: str) -> _KnownPositions:
    """Return what book and certificates hold of rules."""
    bounds = {key: _exactly(entry) for key, entry in book.proven(rules).items()}
    for name in CERTIFICATES:
        head, *lines = _text(name).splitlines()
        if Rules.parse(json.loads(head)["rules"]).key == rules:
            for line in lines:
                _add(bounds, json.loads(line))
    seeds = [sum(map(int, key.replace("/", " ").split())) for key in bounds]
    return _KnownPositions(bounds, min([*seeds, *repertoire.seeds(rules)], default=0))


def _text(name: str) -> str:
    return gzip.decompress(files("mancala.engine").joinpath("data", name).read_bytes()).decode()


def _exactly(entry: book.Entry) -> Bounds:
    return Bounds(round(entry.to_go), round(entry.to_go))


def _add(bounds: dict[str, Bounds], line: dict[str, object]) -> None:
    """Add what a line of a certificate states of a position without stores."""
    pits, _, _, *counts = str(line["board"])[1:-1].split(",")
    width, seeds, value = int(pits), sum(map(int, counts)), int(str(line["value"]))
    key = f"{' '.join(counts[:width])}/{' '.join(counts[width:])}"
    stated = Bounds(value, seeds) if line["bound"] == "low" else Bounds(-seeds, value)
    bounds[key] = bounds.get(key, stated).both(stated)
