"""Alpha-beta that is deepened until its time is up: what answers while the engine is compiled.

It loads neither numba nor numpy, so that a process has a move of some sowings' depth a quarter of a
second after its start. The depth counts sowings, as the engine's does, and the evaluation is the
difference of stores: ``weighted`` plays no better in the same time, and on boards of eight pits
does not come to depth 6 in a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Final

from mancala.protocol.messages import Info
from mancala.protocol.player import UNLIMITED, Budget, Choice, Player
from mancala.protocol.rules import Board

from .alphabeta import AlphaBetaPlayer
from .game import Position

DEEPEST: Final = 64


class _TimeUpError(Exception):
    """The time of a search is up."""


class DeepeningPlayer(Player):
    """Searches a sowing deeper each time, for at most ``time_s`` seconds, or the budget.

    A move is searched to the first depth whatever the time; of equal moves the lowest pit is
    played. ``clock`` returns seconds, monotonic.
    """

    anytime: ClassVar[bool] = True

    def __init__(self, time_s: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._time_s = time_s
        self._clock = clock

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        """Return the best move of the deepest search that was finished.

        Raises:
            UnknownRuleError: for rules that the classic players do not know.
            ValueError: when the game is over.
        """
        if board.is_over:
            raise ValueError(f"the game is over; no pit can be chosen on {board.text}")
        began, nodes = self._clock(), 0
        until = began + min(self._time_s, budget.time_s)
        search = _TimedAlphaBeta(in_sowings=True)
        best = Choice(board.legal()[0])
        for depth in range(1, DEEPEST + 1):
            search.depth, search.evaluations = depth, 0
            try:
                ratings = search.rate(board)
            except _TimeUpError:
                break
            nodes += search.nodes
            pit, seconds = max(ratings, key=ratings.__getitem__), self._clock() - began
            exact = search.evaluations == 0
            best = Choice(pit, Info(depth, ratings[pit], exact, nodes=nodes, seconds=seconds))
            budget.offer(best)
            if exact or len(ratings) == 1:
                break
            search.is_late = lambda: self._clock() >= until or budget.is_cancelled()
        return best


@dataclass(kw_only=True, eq=False)
class _TimedAlphaBeta(AlphaBetaPlayer):
    """Alpha-beta that stops when it is late, and counts the positions that it evaluated.

    A search that evaluated none has seen the end of every line, so its value is exact.
    """

    is_late: Callable[[], bool] = bool
    evaluations: int = field(default=0, init=False)

    def _quiet(self, position: Position, sowings: int, alpha: float, beta: float) -> float:
        self.evaluations += 1
        if self.is_late():
            raise _TimeUpError
        return super()._quiet(position, sowings, alpha, beta)
