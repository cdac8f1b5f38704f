"""What a table reports of its games, and what it asks before and after them."""

from collections.abc import Sequence
from typing import Protocol

from mancala.protocol.messages import Outcome

from ..model.journal import Announcement, Entry
from ..model.match import Match
from .participant import Participant


class MatchObserver(Protocol):
    """Callbacks of a table; ``match.game`` is the id of its present game."""

    @property
    def is_stopping(self) -> bool:
        """Whether no further game may begin."""

    def must_yield(self, match: Match) -> bool:
        """Return whether a match gives its place to others before its next game."""

    def game_began(self, match: Match) -> None:
        """Note that the present game has begun."""

    def game_over(self, match: Match) -> None:
        """Note that the present game is over."""

    def match_over(self, match: Match) -> None:
        """Note that the match is over, and its table closed."""

    def match_failed(self, match: Match) -> None:
        """Note that the match can't be stored; its table is closed, and nothing more follows."""

    def left_early(self, match: Match, player: Participant) -> bool:
        """Note that a player left before its first move; return whether that loses the game."""

    def hides(self, match: Match) -> bool:
        """Return whether its event hides a match for now from all but its players."""

    def sealed(self, match: Match, ends: list[Entry]) -> list[Entry]:
        """Return what becomes durable with ends in a match: sealed if its event hides them."""

    def count(self, match: Match, ended: Outcome, result: Announcement) -> Sequence[Entry]:
        """Count the present game in its ladder or event; return what becomes durable with it."""

    def uncount(self, match: Match, ended: Outcome) -> None:
        """Take back a game that could not be stored; an event counts its end again."""

    def ratings(self, match: Match) -> dict[str, float] | None:
        """Return both bots' ratings, or None when the match counts for none."""
