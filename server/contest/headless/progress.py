"""How far a game has got, for the process that watches over its worker."""

from __future__ import annotations

from typing import Final, NamedTuple

PREPARING: Final = -2
"""Instead of a game's number, while players are made before the first game."""


class Unfinished(NamedTuple):
    """A game whose worker was lost.

    Attributes:
        number: the task's, or :data:`PREPARING`.
        seat: the player whose answer was awaited; before the first game, its number in the event.
        moves: the pits sown so far.
        limit_s: seconds that the answer might take.
    """

    number: int
    seat: int
    moves: tuple[int, ...]
    limit_s: float


class Progress:
    """Receives each step of a game; this one drops them."""

    def begin(self, game: int, limit_s: float) -> None:
        """Begin a game, and do what it needs, at most for a time."""

    def ask(self, seat: int, limit_s: float) -> None:
        """Wait for a player's answer, at most for a time."""

    def moved(self, pit: int) -> None:
        """Add a move."""

    def end(self) -> None:
        """End the game."""
