"""Positions as a campaign names them, and what their moves lead to.

The mover is player 0. Without ``majority`` both stores are empty: captured seeds never return, so
what is still to be gained depends on the pits alone, and positions that differ only in their stores
share one proof. A value is the difference of stores at the end, for the mover, counted from the
stores of the position.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from mancala.protocol.rules import Board, Rules

from ..knowledge import Bounds


class PositionMove(NamedTuple):
    """A move of a position: the pit that is sown, and what follows, its mover first.

    ``ahead`` is what the mover gains over the other before that; ``after`` is None, and ``again``
    false, when the game is over.
    """

    pit: int
    ahead: int
    after: Board | None
    again: bool

    def bounds(self, after: Bounds) -> Bounds:
        """Return bounds of the move's value, from those of the position that follows."""
        return after.seen(self.ahead, turned=not self.again)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement on the value of a position, in seeds: that it is at least this, or at most."""

    board: Board
    value: int
    at_least: bool

    def follows_from(self, bounds: Bounds) -> bool:
        """Return whether bounds of the position's value imply the statement."""
        return bounds.low >= self.value if self.at_least else bounds.high <= self.value

    def stronger(self, other: Claim) -> Claim:
        """Return this, or a claim of the same bound of the same position that says more."""
        return max(self, other, key=lambda claim: claim.value if self.at_least else -claim.value)

    def after(self, move: PositionMove) -> Claim | None:
        """Return what the position after a move must satisfy for this; None if it is over."""
        if move.after is None:
            return None
        if move.again:
            return Claim(move.after, self.value - move.ahead, self.at_least)
        return Claim(move.after, move.ahead - self.value, not self.at_least)

    def is_met_by(self, move: PositionMove) -> bool:
        """Return whether a move that ends the game has a value as stated."""
        return move.ahead >= self.value if self.at_least else move.ahead <= self.value


def step(rules: Rules) -> int:
    """Return the distance between two values that a position can have."""
    return 1 if rules.majority else 2


def plain(board: Board) -> Board:
    """Return a board with its mover as player 0, and without stores where they do not matter."""
    me = board.player
    pits = board.pits[me], board.pits[1 - me]
    stores = board.stores[me], board.stores[1 - me]
    if not board.rules.majority:
        stores = 0, 0
    return replace(board, pits=pits, stores=stores, player=0)


def offset(board: Board) -> int:
    """Return what a board's value exceeds that of its `plain` position by, for the mover."""
    me = board.player
    return 0 if board.rules.majority else board.stores[me] - board.stores[1 - me]


def moves(board: Board) -> tuple[PositionMove, ...]:
    """Return the moves of a plain position."""
    return tuple(_move(board, pit) for pit in board.legal())


def _move(board: Board, pit: int) -> PositionMove:
    sowing = board.sow(pit)
    after = sowing.board
    if after.is_over:
        return PositionMove(pit, after.score(0), None, again=False)
    mine = offset(after) if after.player == 0 else -offset(after)
    return PositionMove(pit, mine, plain(after), again=after.player == 0)


def widest(board: Board) -> Bounds:
    """Return what holds of a position's value without any proof."""
    ahead = board.stores[0] - board.stores[1]
    return Bounds(ahead - board.in_play, ahead + board.in_play)
