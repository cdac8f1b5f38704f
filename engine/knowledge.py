"""What is known of a position without any search: one answer from the book and the certificates.

The book holds values that are proven, with a best move; a certificate bounds of the first plies of
a proof. Values depend on the pits and the mover alone, so stores are added at the end.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Final

from mancala.engine import book
from mancala.engine.campaign import certificate, positions
from mancala.engine.search.solver import Bounds, Solution

if TYPE_CHECKING:
    from mancala.protocol.rules import Board

CERTIFICATES: Final = ("kalah-6-6.jsonl.gz",)


def known(board: Board) -> Solution | None:
    """Return what is known of a board that is not over, and of its moves; None if nothing is."""
    plain, ahead = positions.plain(board), positions.offset(board)
    moves = {move.pit: _known_of_move(move) for move in positions.moves(plain)}
    value = _known_of_position(plain)
    value = Bounds(
        max(value.low, *(bounds.low for bounds in moves.values())),
        min(value.high, max(bounds.high for bounds in moves.values())),
    )
    best = next(
        (pit for pit, bounds in moves.items() if value.exact and bounds.low == value.low),
        _booked_pit(plain),
    )
    if best is not None and value.exact:
        moves[best] = value
    if all(bounds == _widest(plain, pit) for pit, bounds in moves.items()) and not value.exact:
        return None
    return Solution(
        value=_shifted(value, ahead),
        best=best if value.exact else None,
        moves={pit: _shifted(bounds, ahead) for pit, bounds in moves.items()},
        nodes=0,
        seconds=0.0,
    )


def with_known(found: Solution, sure: Solution | None) -> Solution:
    """Return what a search has found, with what was known before."""
    if sure is None:
        return found
    value = _both(found.value, sure.value)
    return replace(
        found,
        value=value,
        best=sure.best if found.best is None else found.best,
        moves={pit: _both(bounds, sure.moves[pit]) for pit, bounds in found.moves.items()},
    )


def _known_of_position(plain: Board) -> Bounds:
    """Return what is known of the value of a plain position."""
    bounds, entry = positions.widest(plain), book.find(plain)
    if entry is not None and entry.is_proven:
        return Bounds(round(entry.to_go), round(entry.to_go))
    return _both(bounds, _certified(plain.rules.key).get(plain.text, bounds))


def _known_of_move(move: positions.PositionMove) -> Bounds:
    if move.after is None:
        return Bounds(move.ahead, move.ahead)
    return move.bounds(_known_of_position(move.after))


def _widest(plain: Board, pit: int) -> Bounds:
    (move,) = (move for move in positions.moves(plain) if move.pit == pit)
    if move.after is None:
        return Bounds(move.ahead, move.ahead)
    return move.bounds(positions.widest(move.after))


def _booked_pit(plain: Board) -> int | None:
    entry = book.find(plain)
    return entry.pit if entry is not None and entry.is_proven else None


def _both(one: Bounds, other: Bounds) -> Bounds:
    return Bounds(max(one.low, other.low), min(one.high, other.high))


def _shifted(bounds: Bounds, ahead: int) -> Bounds:
    return Bounds(bounds.low + ahead, bounds.high + ahead)


@cache
def _certified(rules: str) -> dict[str, Bounds]:
    """Return the bounds that certificates of rules state, by the text of the plain position."""
    found: dict[str, Bounds] = {}
    for name in CERTIFICATES:
        with as_file(files("mancala.engine").joinpath("data", name)) as path:
            proof = certificate.load(path)
        if proof.rules.key != rules:
            continue
        for line in proof.lines:
            claim = proof.claim(line)
            bounds = found.get(claim.board.text) or positions.widest(claim.board)
            found[claim.board.text] = (
                Bounds(max(bounds.low, claim.value), bounds.high)
                if claim.at_least
                else Bounds(bounds.low, min(bounds.high, claim.value))
            )
    return found
