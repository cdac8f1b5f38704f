"""The Kalah Game Protocol's mode ``verify``, which tests whether a client knows the rules.

The server sends one problem after another: a position and one of South's pits. The pit is counted
from 0, as the reference server does here, unlike in a ``move``. The solution is the position after
the sowing, South still first, and whether South sows again. Positions come from random games. No
sowing that ends the game is asked for, because the protocol does not say whether the remaining
seeds are then collected.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ..rules import KALAH, Board, Sowing

LONGEST_LEAD: Final = 24


class SowingProblem(NamedTuple):
    """A problem: what is the position after this sowing? Player 0 is to move."""

    board: Board
    pit: int


class Verifier:
    def __init__(self, pick: Callable[[Sequence[int]], int]) -> None:
        """Set up without problems; ``pick`` chooses one of several numbers at random."""
        self._pick = pick
        self._open: dict[int, SowingProblem] = {}

    def pose(self, number: int) -> SowingProblem:
        """Return a new problem, kept under this number."""
        problem = self._candidate()
        while problem is None:
            problem = self._candidate()
        self._open[number] = problem
        return problem

    def check(self, number: int | None, solution: tuple[object, ...]) -> str | None:
        """Return what is wrong with the solution of a problem; None when it is right."""
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

    def _candidate(self) -> SowingProblem | None:
        board = Board.start(KALAH)
        for _ in range(self._pick(range(LONGEST_LEAD))):
            board = board.sow(self._pick(board.legal())).board
            if board.is_over:
                return None
        asked = Board.from_text(board.text)
        pit = self._pick(asked.legal())
        return None if asked.sow(pit).board.is_over else SowingProblem(asked, pit)


def south_first(sowing: Sowing) -> Board:
    """Return the position after South's sowing with South's row first, regardless of the mover."""
    board = sowing.board
    return Board(board.rules, board.pits, board.stores)
