"""Alpha-beta that is deepened until its time is up: it answers while the engine is compiled.

It plays and reviews what the engine does not know for good, too: games whose positions repeat,
such as Oware. There it estimates, and proves nothing.

It loads neither numba nor numpy, so that a process has a move of some sowings' depth a quarter of a
second after its start. The depth counts sowings, as the engine's does, and the evaluation is the
difference of stores: ``weighted`` plays no better in the same time, and on boards of eight pits
does not come to depth 6 in a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import ClassVar, Final, TypeVar

from mancala.protocol.messages import Assessment, Info, MoveValue
from mancala.protocol.player import UNLIMITED, Budget, Choice, Player
from mancala.protocol.review import SHOWN_LINE
from mancala.protocol.rules import Board

from .alphabeta import AlphaBetaPlayer
from .game import Position

T = TypeVar("T")

DEEPEST: Final = 64


class _TimeUpError(Exception):
    """The time of a search is up."""


class DeepeningPlayer(Player):
    """Searches a sowing deeper each time, for at most ``time_s`` seconds, or the budget.

    A move is searched to the first depth whatever the time; of equal moves the lowest pit is
    played. ``clock`` returns seconds, monotonic. ``deepest`` and ``nodes`` bound the search, too.
    """

    anytime: ClassVar[bool] = True

    def __init__(
        self,
        time_s: float,
        *,
        deepest: int = DEEPEST,
        nodes: float = inf,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._time_s = time_s
        self._deepest = deepest
        self._nodes = nodes
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

        def is_late() -> bool:
            used = nodes + search.nodes
            return used >= self._nodes or self._clock() >= until or budget.is_cancelled()

        def look() -> dict[int, float]:
            return _values(search, board) if board.past else search.rate(board)

        for ratings in _deeper(search, look, self._deepest, is_late):
            nodes += search.nodes
            pit, seconds = max(ratings, key=ratings.__getitem__), self._clock() - began
            is_whole = search.evaluations == 0
            exact = is_whole and not board.rules.oware
            info = Info(search.depth, ratings[pit], exact, nodes=nodes, seconds=seconds)
            best = Choice(pit, info)
            budget.offer(best)
            if is_whole or len(ratings) == 1:
                break
        return best


class PlainReviewer:
    """Estimates what each move of a game was worth, by searches of one depth; it proves nothing.

    ``clock`` returns seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock

    def review(
        self, boards: Sequence[Board], pits: Sequence[int], *, time_s: float
    ) -> tuple[Assessment, ...]:
        """Assess every position of a game in which a move was played.

        Args:
            boards: the position before each move, then the last one.
            pits: the pits sown.
            time_s: seconds for the whole game; each sowing alone is looked at whatever the time.

        Returns:
            An assessment for each move, in order of play.
        """
        until, played = self._clock() + time_s, list(zip(boards, pits, strict=False))
        search = _TimedAlphaBeta(in_sowings=True)
        found: list[Assessment] = []

        def look() -> list[dict[int, float]]:
            return [_values(search, board) for board, _ in played]

        for values in _deeper(search, look, DEEPEST, lambda: self._clock() >= until):
            found = _assessments(played, values, search.depth)
            if not search.evaluations:
                break
        return tuple(found)

    def forget(self) -> None:
        """Keep nothing of earlier games; there is nothing."""


def looks(
    board: Board, *, plies: int, nodes: float, is_late: Callable[[], bool]
) -> Iterator[tuple[dict[int, float], int]]:
    """Yield each move's worth to the mover and the nodes, to 1, 2, 3… sowings; 1 in any case."""
    used, search = 0, _TimedAlphaBeta(in_sowings=True)

    def has_ended() -> bool:
        return used + search.nodes >= nodes or is_late()

    for values in _deeper(search, lambda: _values(search, board), plies, has_ended):
        used += search.nodes
        yield values, used


def _deeper(
    search: _TimedAlphaBeta, look: Callable[[], T], deepest: int, is_late: Callable[[], bool]
) -> Iterator[T]:
    """Yield what is seen to 1, 2, 3… sowings until it is late; the first whatever the time."""
    for search.depth in range(1, deepest + 1):
        search.evaluations = 0
        try:
            found = look()
        except _TimeUpError:
            return
        search.is_late = is_late
        yield found


def _values(search: _TimedAlphaBeta, board: Board) -> dict[int, float]:
    """Return what each move is worth to the mover; of one that ends the game, what it brought."""
    values = search.values(board)
    for pit in values:
        if (after := board.sow(pit).board).is_over:
            values[pit] = after.score(board.player)
    return values


def _assessments(
    played: Sequence[tuple[Board, int]], values: Sequence[dict[int, float]], depth: int
) -> list[Assessment]:
    found: list[Assessment] = []
    line: tuple[int, ...] = ()
    for ply in reversed(range(len(played))):
        (board, pit), known = played[ply], values[ply]
        best = max(known, key=lambda move: (known[move], move == pit))
        line = (best, *line)[:SHOWN_LINE] if best == pit else (best,)
        sign = 1 if board.player == 0 else -1
        moves = (MoveValue(move, sign * value + 0.0, depth) for move, value in known.items())
        found.append(Assessment(ply, tuple(moves), line, depth))
    return found[::-1]


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
