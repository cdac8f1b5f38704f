"""What the web may ask of a running server; read-only.

Two classes answer: the read model, in the game server's own process, and the feed's client, in a
process of the web.
"""

from __future__ import annotations

from typing import Protocol

from server.model.schemas.bots import BotPresence, OpponentList, RatingBases
from server.model.schemas.games import LiveGame
from server.model.schemas.ladders import LadderList, StandingsView, SuperiorityView, TermsView
from server.model.schemas.status import Readiness, ServerView


class UnavailableError(Exception):
    """The game server does not answer; the message says how long to wait for it."""


class LiveState(Protocol):
    """The state of a running server, as API schemas.

    Every method but :meth:`is_alive` raises :class:`UnavailableError` when the game server does
    not answer.
    """

    def is_alive(self) -> bool:
        """Return whether the game server was heard of a moment ago."""

    def about(self) -> ServerView:
        """Return the server's name, version and address."""

    async def live(self, game: str) -> LiveGame | None:
        """Return a running game; None when no such game is running."""

    async def presence(self, name: str) -> BotPresence:
        """Return whether a bot is connected, and its games."""

    async def ladders(self) -> LadderList:
        """Return the ladders."""

    async def terms(self) -> TermsView:
        """Return the terms of the server and its ladders."""

    async def opponents(self) -> OpponentList:
        """Return the connected bots that take challenges."""

    async def standings(self, ladder: str) -> StandingsView | None:
        """Return a ladder's standings; None when there is no such ladder."""

    async def rests_on(self, bot: str) -> RatingBases:
        """Return what a bot's ratings rest on, in all ladders."""

    async def superiority(self, ladder: str) -> SuperiorityView | None:
        """Return who of a ladder's best is stronger than whom; None without such a ladder."""

    async def readiness(self) -> Readiness:
        """Return whether the store takes writes, and the broker's state."""

    async def metrics(self) -> str:
        """Return the game server's metrics, in Prometheus's text format."""
