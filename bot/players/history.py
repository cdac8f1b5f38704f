"""What a player may know of its game beyond the position: both players' sowings so far.

A player is asked with boards only. What the opponent sowed between two of its turns, or between the
start of a game and its first turn, is found by trying: few sequences of sowings lead from one board
to the other.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from mancala.protocol.rules import SWAP, Board

MOST_STEPS: Final = 20_000
"""Positions tried to find the opponent's last sowings between two questions."""


@dataclass(slots=True)
class History:
    """What a player remembers of its game.

    Attributes:
        own: its own pits, oldest first.
        theirs: the opponent's pits since its last one; empty where they are unknown.
        moves: sowings so far by both, as far as they are known.
        played: player and pit of each sowing since the last one that is not known.
        is_again: whether the player moves again after its own last sowing.
    """

    own: list[int] = field(default_factory=list)
    theirs: tuple[int, ...] = ()
    moves: int = 0
    played: list[tuple[int, int]] = field(default_factory=list)
    is_again: bool = False
    _before: Board | None = None

    def see(self, board: Board) -> None:
        """Take note of a question, and of what was played before it."""
        before = self._before or Board.start(board.rules)
        found = sowings_between(before, board)
        if not found and before != board:
            self.played.clear()
        self.played += [(before.player, pit) for pit in found]
        self.theirs = found if before.player != board.player else ()
        self.moves += len(found)
        self.is_again = self._before == board

    def play(self, board: Board, pit: int) -> None:
        """Take note of the answer to a question."""
        self.own.append(pit)
        self.played.append((board.player, pit))
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
        for pit in (*board.legal(), *((SWAP,) if board.may_swap else ())):
            steps += 1
            reached = board.sow(pit).board
            if reached == after:
                return (*way, pit)
            if reached.player == before.player and not reached.is_over:
                open_ends.append((reached, (*way, pit)))
    return ()


def leads_to(played: Iterable[tuple[int, int]], board: Board) -> bool:
    """Return whether sowings, as players and pits, lead from the start to a board."""
    reached = Board.start(board.rules)
    for player, pit in played:
        if player != reached.player or not reached.may_sow(pit):
            return False
        reached = reached.sow(pit).board
    return reached.settled() == board.settled()
