"""One game of the robot's."""

from __future__ import annotations

from dataclasses import dataclass

from mancala.protocol.clock import TimeControl
from mancala.protocol.rules import Board


@dataclass(slots=True)
class RobotTable:
    """One game of the robot's: the bot's seat, the position at the start and now, the pits sown.

    Of the present question it has the bot's last provisional and its final answer, their number,
    and when it was put.
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
