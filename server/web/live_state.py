"""The window through which the web looks at a running server: it sees, and can touch nothing."""

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
    """What can be seen of a running server."""

    @property
    def connections(self) -> int:
        """How many websocket connections are open."""

    def about(self) -> ServerView:
        """Tell which server this is, and the way to it."""

    async def live(self, game: str) -> LiveGame | None:
        """Show a running game; None when no such game is being played."""

    def presence(self, name: str) -> BotPresence:
        """Tell whether a bot is here, and what it plays."""

    def ladders(self) -> LadderList:
        """List the ladders."""

    def standings(self, ladder: str) -> StandingsView | None:
        """Show a ladder's table; None when there is no such ladder."""

    async def readiness(self) -> Readiness:
        """Try whether the server can do its work."""
