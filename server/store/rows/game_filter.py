"""What is wanted of the lists of games, and a page of them."""

from __future__ import annotations

from typing import NamedTuple

from mancala.protocol.messages import Reason

from ...model.schemas.games import BotResult, GameStatus, GameSummary


class GameFilter(NamedTuple):
    """A filter of games; None matches all.

    Attributes:
        bot: games of this bot.
        match: games of this match.
        ladder: games of this ladder.
        status: games over, or running.
        opponent: games of the bot against this one.
        result: games that the bot won, drew or lost.
        version: games that the bot played as this rated version, ``bot@version``.
        reason: games that ended in this way.
        since: games that began at this time or later, RFC 3339.
        until: games that began before this time.
    """

    bot: str | None = None
    match: str | None = None
    ladder: str | None = None
    status: GameStatus | None = None
    opponent: str | None = None
    result: BotResult | None = None
    version: str | None = None
    reason: Reason | None = None
    since: str | None = None
    until: str | None = None

    @property
    def has_own_index(self) -> bool:
        """Whether one index serves a bot's games: of a match, of a ladder, or under way."""
        return (self.match, self.ladder) != (None, None) or self.status is GameStatus.RUNNING

    @property
    def is_scanned(self) -> bool:
        """Whether there is no index for a part of it."""
        return (self.result, self.version, self.reason) != (None, None, None)


class GameKey(NamedTuple):
    """The sort key of a game in lists, the latest first."""

    started_at: str
    game: str


class FoundGames(NamedTuple):
    """A page of games.

    Attributes:
        games: the latest first.
        next: where the next page goes on; None if this is the last one.
    """

    games: tuple[GameSummary, ...] = ()
    next: GameKey | None = None
