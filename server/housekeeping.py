"""What a running server does every few seconds: it ends what is over and forgets what is old."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from server.config.settings import Config
from server.health.log import Log
from server.lobby.sessions import SessionRegistry
from server.model.day_counts import DAY_S
from server.model.timestamps import later
from server.store import Store

HOUSEKEEPING_S: Final = 15.0
"""How often; within this time a session ends whose token was revoked, or whose name reserved."""


class Housekeeper:
    """Keeps a server's sessions and its store in order."""

    def __init__(
        self,
        sessions: SessionRegistry,
        store: Store,
        *,
        config: Callable[[], Config],
        now: Callable[[], float],
        utc: Callable[[], str],
        log: Log,
    ) -> None:
        """Begin with nothing done.

        Args:
            sessions: the server's sessions.
            store: its store.
            config: returns the settings in force.
            now: the event loop's clock, in seconds.
            utc: the time of day, RFC 3339.
            log: receives what goes wrong.
        """
        self._sessions = sessions
        self._store = store
        self._config = config
        self._now = now
        self._utc = utc
        self._log = log

    async def run(self) -> None:
        """Keep house until this is cancelled."""
        while True:
            await asyncio.sleep(HOUSEKEEPING_S)
            try:
                await self.keep()
            except Exception as error:  # noqa: BLE001  # done again soon; a broken store stops the server by itself
                self._log.warning("housekeeping failed", error=repr(error))

    async def keep(self) -> None:
        """End sessions that are no longer valid, close idle connections, and delete what is old."""
        config = self._config()
        if sessions := self._sessions.session_hashes:
            self._sessions.revoke(sessions - await self._store.kept_sessions())
        self._sessions.dismiss_idle(self._now() - config.limits.idle_s)
        await self._store.drop_oldest_info(config.limits.info_bytes)
        if config.reviewers.queue:
            await self._store.forget_excess_reviews(config.reviewers.queue)
        keep_s = DAY_S * config.mqtt.keep_days
        await self._store.forget_published(later(self._utc(), -keep_s))
        await self._store.forget_counted(later(self._utc(), -DAY_S))
