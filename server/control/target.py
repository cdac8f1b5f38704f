"""What actions act on: a running server, or the store of one that is stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..config.reload import Reload
from ..config.settings import Config
from ..lobby.sessions import SessionRegistry
from ..match.context import Context
from ..store import Store

Reloading = Callable[[bool, bool], Reload]
"""Called with whether a new clock is taken up, and whether only to say what would change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server as its operator reaches it.

    Attributes:
        sessions: the lobby, with ladders and tables.
        store: the store.
        context: clock, journal and events.
        config: returns the settings in force.
        is_live: whether it is a running server.
        reload: takes the settings up again; None for one that is stopped, or embedded.
    """

    sessions: SessionRegistry
    store: Store
    context: Context
    config: Callable[[], Config]
    is_live: bool = True
    reload: Reloading | None = None
