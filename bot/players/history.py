"""What a player may know of its game beyond the position: both players' sowings so far.

A player is asked with boards only. What the opponent sowed between two of its turns is found by
trying: few sequences of sowings lead from one board to the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mancala.protocol.rules import Board

MOST_STEPS: Final = 20_000
"""Positions tried to find the opponent's last sowings between two questions."""


@dataclass(slots=True)
class History:
    """What a player remembers of its game.

    Attributes:
        own: its own pits, oldest first.
        theirs: the opponent's pits since its last one; empty where they are unknown.
        moves: sowings so far by both, as far as they are known.
        is_again: whether the player moves again after its own last sowing.
    """

    own: list[int] = field(default_factory=list)
    theirs: tuple[int, ...] = ()
    moves: int = 0
    is_again: bool = False
    _before: Board | None = None

    def see(self, board: Board) -> None:
        """Take note of a question, and of what the opponent played before it."""
        self.theirs = () if self._before is None else sowings_between(self._before, board)
        self.moves += len(self.theirs)
        self.is_again = self._before == board

    def play(self, board: Board, pit: int) -> None:
        """Take note of the answer to a question."""
        self.own.append(pit)
        self.moves += 1
        self._before = board.sow(pit).board


def sowings_between(before: Board, after: Board) -> tuple[int, ...]:
    """Return the sowings that lead from one position to another; () if there are none.

    Of the mover of ``before`` all sowings are meant that it made before the other's turn. The
    search is bounded: chains of extra turns are long only in positions made by hand.
    """
    if before == after:
        return ()
    steps = 0
    open_ends: list[tuple[Board, tuple[int, ...]]] = [(before, ())]
    while open_ends and steps < MOST_STEPS:
        board, way = open_ends.pop()
        for pit in board.legal():
            steps += 1
            reached = board.sow(pit).board
            if reached == after:
                return (*way, pit)
            if reached.player == before.player and not reached.is_over:
                open_ends.append((reached, (*way, pit)))
    return ()
