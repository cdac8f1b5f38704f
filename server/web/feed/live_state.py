"""What the web may ask of a running server; read-only.

Two classes answer: the read model, in the game server's own process, and the feed's client, in a
process of the web.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from ...model.schemas.status import ServerView
from ...model.schemas.views import View
from .topics import Topic
from .viewers import Receive

A = TypeVar("A", bound=View | None)


class UnavailableError(Exception):
    """The game server does not answer; the message says how long to wait for it."""


class LiveState(Protocol):
    """The state of a running server, as API schemas.

    :meth:`about` and :meth:`ask` raise :class:`UnavailableError` when the game server does not
    answer.
    """

    def is_alive(self) -> bool:
        """Return whether the game server was heard of a moment ago."""

    def about(self) -> ServerView:
        """Return the server's name, version and address."""

    def follow(self, game: str, receive: Receive) -> Callable[[], None]:
        """Call ``receive`` with each move of a game and its end; return what ends that."""

    async def ask(self, topic: Topic[A], subject: str = "") -> A:
        """Return the answer to a topic, about one game, bot or ladder where it needs one."""
