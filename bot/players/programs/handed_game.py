"""A game that a server with one bot hands it, and the messages that tell the bot of it."""

import asyncio
from dataclasses import dataclass
from math import isfinite
from typing import Final

from mancala.protocol import messages as wire
from mancala.protocol.clock import Clock, ClockState, TimeControl
from mancala.protocol.messages import Reason
from mancala.protocol.player import UNLIMITED, Budget, Choice
from mancala.protocol.rules import Board

OPPONENT: Final = "opponent"


@dataclass(slots=True)
class HandedGame:
    """A game of the bot's; ``answer`` is awaited by who asked for it."""

    id: str
    match: str
    seat: int
    control: TimeControl
    opening: Board
    board: Board
    moves: list[int]
    asked: wire.Turn | None = None
    answer: asyncio.Future[Choice] | None = None
    budget: Budget = UNLIMITED

    @property
    def over(self) -> wire.GameOver:
        """The end of the game; one that is not over on the board is aborted."""
        if not self.board.is_over:
            return wire.GameOver(self.id, None, self.board.stores, Reason.ABORTED)
        return self.ended(Reason.NORMAL)

    def ended(self, reason: Reason) -> wire.GameOver:
        """Return the end of the game, won by who has more in its store."""
        first, second = self.board.stores
        winner = None if first == second else int(second > first)
        return wire.GameOver(self.id, winner, self.board.stores, reason)

    def start(self, name: str, opponent: str = OPPONENT, *, rated: bool = False) -> wire.GameStart:
        is_usual = self.opening == Board.start(self.opening.rules)
        return wire.GameStart(
            game=self.id,
            match=self.match,
            seat=self.seat,
            rules=self.opening.rules,
            clock=self.control,
            opponent=wire.Opponent(opponent),
            state=self.board.state,
            moves=tuple(self.moves),
            clocks=self._clock,
            names=(name, opponent) if self.seat == 0 else (opponent, name),
            rated=rated,
            opening=None if is_usual else self.opening.state,
        )

    def turn(self, left_ms: int) -> wire.Turn:
        """Return the question: the time to think is the budget's, or what is left if it is less."""
        deadline_ms = min(left_ms, control_of(self.budget).move_ms or left_ms)
        return wire.Turn(
            *(self.id, len(self.moves), self.board.state, self.board.legal()),
            *(self._clock, deadline_ms),
        )

    def sow(self, pit: int, *, forced: bool = False) -> wire.Moved:
        """Sow a pit, and return the announcement of it."""
        mover, sowing = self.board.player, self.board.sow(pit)
        self.board = sowing.board
        self.moves.append(pit)
        return wire.Moved(
            *(self.id, len(self.moves) - 1, mover, pit, sowing.captured, sowing.again),
            *(self.board.state, self._clock, 0, 0),
            forced=forced,
        )

    @property
    def _clock(self) -> ClockState:
        return Clock.set_up(self.control).state


def control_of(budget: Budget) -> TimeControl:
    """Return the clock of a game in which each question has a budget."""
    time_s = budget.time_s if isfinite(budget.time_s) else budget.deadline_s
    return TimeControl.for_each_move(time_s)
