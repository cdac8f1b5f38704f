"""What the web may ask of a running server; read-only."""

from __future__ import annotations

from typing import Protocol

from server.model.schemas import (
    BotPresence,
    LadderList,
    LiveGame,
    Readiness,
    ServerView,
    StandingsView,
)


class LiveState(Protocol):
    """The state of a running server, as API schemas."""

    @property
    def connections(self) -> int:
        """The number of open websocket connections."""

    def about(self) -> ServerView:
        """Return the server's name, version and address."""

    async def live(self, game: str) -> LiveGame | None:
        """Return a running game; None when no such game is running."""

    def presence(self, name: str) -> BotPresence:
        """Return whether a bot is connected, and its games."""

    def ladders(self) -> LadderList:
        """Return the ladders."""

    def standings(self, ladder: str) -> StandingsView | None:
        """Return a ladder's standings; None when there is no such ladder."""

    async def readiness(self) -> Readiness:
        """Return whether the store takes writes, and the broker's state."""
