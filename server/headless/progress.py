"""How far a game has got, for the process that watches over its worker."""

from __future__ import annotations

from typing import NamedTuple


class Unfinished(NamedTuple):
    """A game whose worker was lost.

    Attributes:
        number: the task's.
        seat: the player whose answer was awaited.
        moves: the pits sown so far.
        limit_s: seconds that the answer might take.
    """

    number: int
    seat: int
    moves: tuple[int, ...]
    limit_s: float


class Progress:
    """Receives each step of a game; this one drops them."""

    def begin(self, game: int) -> None:
        """Begin a game."""

    def ask(self, seat: int, limit_s: float) -> None:
        """Wait for a player's answer, at most for a time."""

    def moved(self, pit: int) -> None:
        """Add a move."""

    def end(self) -> None:
        """End the game."""
