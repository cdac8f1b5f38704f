"""Reviews as the server keeps them: what waits, and what a review is made of. Pure."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, NamedTuple

from mancala.protocol.accuracy import Phase, Sums
from mancala.protocol.review import GameReview, ReviewedGame
from mancala.protocol.rules import Rules

from ..schemas.analysis import Puzzle

MOST_PLIES: Final = 1000
"""Longer games are not reviewed: their record would not fit into a frame."""

SeatSums = tuple[Mapping[Phase, Sums], Mapping[Phase, Sums]]
"""What a review adds to the accuracy of both players, in seat order."""


class Urgency(IntEnum):
    """Which games are reviewed first, the lowest number first."""

    LOST = 0
    """A bot that is not the house's lost, and its author wants to know why."""
    OTHER = 1
    AGAIN = 2
    """A review of a lower version is there."""


class QueuedReview(NamedTuple):
    """A game that waits for a review.

    Attributes:
        urgency: its class; within one, the newest game comes first.
        version: of the review that it has; 0 for none.
    """

    game: str
    urgency: int
    ended_at: str
    version: int = 0


class ReviewKey(NamedTuple):
    """A review; a better one of the same game is another. ``proven`` is a share of the plies."""

    game: str
    version: int
    proven: float


class ReviewableGame(NamedTuple):
    """A finished game with its bots in seat order, and the two latest days that have a puzzle."""

    played: ReviewedGame
    names: tuple[str, str]
    ladder: str | None
    puzzle_days: tuple[str, ...] = ()


class UnreviewedGame(NamedTuple):
    """A finished game without a review, that waits for none; the entrants are in seat order."""

    game: str
    ended_at: str
    rules: Rules
    entrants: tuple[str, str]
    ladder: str | None


class FinishedReview(NamedTuple):
    """A review that was checked and packed, with the game's best puzzle if it has one."""

    review: GameReview
    body: bytes
    sums: SeatSums
    puzzle: Puzzle | None = None
