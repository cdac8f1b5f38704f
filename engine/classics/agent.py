"""What every classic player is: something that rates the pits and takes one of the best."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from random import Random

    from protocol.rules import Board

Rating = TypeVar("Rating", float, tuple[int, int])


class Agent(Protocol):
    """A player that needs nothing but the board and the processor."""

    def choose(self, board: Board) -> int:
        """Choose a pit for the player to move.

        Raises:
            ValueError: when the game is over.
        """


class RatingAgent(ABC, Generic[Rating]):
    """A player that plays at random among the pits it rates best.

    Args:
        rng: decides between equals; the same seed plays the same games.
    """

    def __init__(self, *, rng: Random) -> None:
        self._rng = rng

    @abstractmethod
    def rate(self, board: Board) -> dict[int, Rating]:
        """Rate each legal pit; the greatest rating is the best, for the player to move."""

    def best(self, board: Board) -> list[int]:
        """List the pits rated best, ascending; none when the game is over."""
        ratings = self.rate(board)
        greatest = max(ratings.values(), default=None)
        return sorted(pit for pit, rating in ratings.items() if rating == greatest)

    def choose(self, board: Board) -> int:
        """Choose at random among the best pits.

        Raises:
            ValueError: when the game is over.
        """
        if board.is_over:
            raise ValueError(f"the game is over; no pit can be chosen on {board.text}")
        return self._rng.choice(self.best(board))
