"""The Kalah Game Protocol's mode ``verify``: does a client know the rules?

One problem after another: a position and a pit of South's, counted from 0 here as the reference
server does, unlike a ``move``. The solution is the position after the sowing, South still first,
and whether South sows again. Positions come from random games. None is asked that the sowing ends,
as the protocol doesn't say whether what is left is to be collected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from protocol.rules import KALAH, Board, Sowing

LONGEST_LEAD: Final = 24


class Problem(NamedTuple):
    """What is asked.

    Attributes:
        board: the position, player 0 to move.
        pit: the pit to sow.
    """

    board: Board
    pit: int


class Examiner:
    """Sets problems and marks the solutions, each once."""

    def __init__(self, pick: Callable[[Sequence[int]], int]) -> None:
        """Prepare an examination.

        Args:
            pick: chooses one of several numbers.
        """
        self._pick = pick
        self._open: dict[int, Problem] = {}

    def pose(self, number: int) -> Problem:
        """Set the problem that has this number."""
        problem = self._candidate()
        while problem is None:
            problem = self._candidate()
        self._open[number] = problem
        return problem

    def mark(self, number: int | None, solution: tuple[object, ...]) -> str | None:
        """Say what is wrong with the solution of a problem; None when nothing is."""
        problem = self._open.pop(number, None) if number is not None else None
        if problem is None:
            return "no problem has that number, or it was solved before"
        sowing = problem.board.sow(problem.pit)
        expected = south_first(sowing)
        match solution:
            case (Board() as board, int(again)):
                if (board.pits, board.stores) != (expected.pits, expected.stores):
                    return f"expected {expected.text}"
                if bool(again) is not sowing.again:
                    return "South sows again" if sowing.again else "South does not sow again"
                return None
            case _:
                return "a solution is a board, and 1 if South sows again, else 0"

    def _candidate(self) -> Problem | None:
        board = Board.start(KALAH)
        for _ in range(self._pick(range(LONGEST_LEAD))):
            board = board.sow(self._pick(board.legal())).board
            if board.is_over:
                return None
        asked = Board.from_text(board.text)
        pit = self._pick(asked.legal())
        return None if asked.sow(pit).board.is_over else Problem(asked, pit)


def south_first(sowing: Sowing) -> Board:
    """Give the position after South's sowing with South's row first, whoever is to move."""
    board = sowing.board
    return Board(board.rules, board.pits, board.stores)
