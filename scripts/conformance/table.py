"""One game of the robot's."""

from __future__ import annotations

from dataclasses import dataclass

from mancala.protocol.clock import TimeControl
from mancala.protocol.rules import Board


@dataclass(slots=True)
class RobotTable:
    """One game of the robot's.

    Attributes:
        game: its id.
        match: the id of its match.
        seat: the bot's seat.
        control: its clock.
        opening: the position at the start.
        board: the position now.
        moves: the pits sown.
        final: whether the bot has given its final answer to the present question.
        provisional: the bot's last provisional answer to it.
        answers: how many answers to it have come.
        asked_at: when it was put.
    """

    game: str
    match: str
    seat: int
    control: TimeControl
    opening: Board
    board: Board
    moves: list[int]
    final: int | None = None
    provisional: int | None = None
    answers: int = 0
    asked_at: float = 0.0

    @property
    def is_asked(self) -> bool:
        """Whether the bot is to move."""
        return not self.board.is_over and self.board.player == self.seat
