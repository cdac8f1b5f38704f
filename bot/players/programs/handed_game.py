"""A game that a private server hands its bot, and the messages that tell the bot of it."""

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
    """The bot's game; its match has the same id."""

    id: str
    control: TimeControl
    opening: Board
    board: Board
    moves: list[int]
    asked: wire.Turn | None = None
    answer: asyncio.Future[Choice] | None = None
    budget: Budget = UNLIMITED

    @property
    def seat(self) -> int:
        """The bot's seat: it is to move in the opening."""
        return self.opening.player

    @property
    def over(self) -> wire.GameOver:
        """The end of the game; one that is not over on the board is aborted."""
        stores = self.board.stores
        if not self.board.is_over:
            return wire.GameOver(self.id, None, stores, Reason.ABORTED)
        winner = None if stores[0] == stores[1] else int(stores[1] > stores[0])
        return wire.GameOver(self.id, winner, stores, Reason.NORMAL)

    def start(self, name: str) -> wire.GameStart:
        is_usual = self.opening == Board.start(self.opening.rules)
        return wire.GameStart(
            game=self.id,
            match=self.id,
            seat=self.seat,
            rules=self.opening.rules,
            clock=self.control,
            opponent=wire.Opponent(OPPONENT),
            state=self.board.state,
            moves=tuple(self.moves),
            clocks=self._clock,
            names=(name, OPPONENT) if self.seat == 0 else (OPPONENT, name),
            rated=False,
            opening=None if is_usual else self.opening.state,
        )

    def turn(self, left_ms: int) -> wire.Turn:
        """Return the question: the time to think is the budget's, or what is left if it is less."""
        deadline_ms = min(left_ms, control_of(self.budget).move_ms or left_ms)
        return wire.Turn(
            *(self.id, len(self.moves), self.board.state, self.board.legal()),
            *(self._clock, deadline_ms),
        )

    def sow(self, pit: int) -> wire.Moved:
        """Sow a pit, and return the announcement of it."""
        mover, sowing = self.board.player, self.board.sow(pit)
        self.board = sowing.board
        self.moves.append(pit)
        return wire.Moved(
            *(self.id, len(self.moves) - 1, mover, pit, sowing.captured, sowing.again),
            *(self.board.state, self._clock, 0, 0),
        )

    @property
    def _clock(self) -> ClockState:
        return Clock.set_up(self.control).state


def control_of(budget: Budget) -> TimeControl:
    """Return the clock of a game in which each question has a budget."""
    time_s = budget.time_s if isfinite(budget.time_s) else budget.deadline_s
    return TimeControl.for_each_move(time_s)
