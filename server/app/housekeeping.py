"""What a running server does every few seconds: it ends what is over and forgets what is old."""

import asyncio
from collections.abc import Callable
from typing import Final

from ..config.settings import Keep, Mqtt
from ..lobby.sessions import SessionRegistry
from ..match.context import Context
from ..model.day_counts import DAY_S
from ..model.timestamps import later
from ..store import Store
from ..store.rows.day_counts import forget_counted
from ..store.rows.tokens import kept_sessions
from ..store.upkeep.retention import (
    forget_matches,
    forget_reports,
    forget_reviews,
    give_back_room,
    renew_statistics,
)

HOUSEKEEPING_S: Final = 15.0
"""How often; within this time a session ends whose token was revoked, or whose name reserved."""
STEP_S: Final = 0.02
"""The pause after each step of forgetting."""
STEPS: Final = 20
"""Most steps at a time of forgetting one kind of what is old; more is left for the next round."""
HOUR: Final = slice(11, 13)
DAY: Final = slice(10)
"""Parts of an RFC 3339 time."""


class Housekeeper:
    """Keeps a server's sessions and its store in order.

    Attributes:
        on_dropped: called with the number of payloads that were deleted unpublished.
    """

    def __init__(self, sessions: SessionRegistry, store: Store, context: Context) -> None:
        self.on_dropped: Callable[[int], object] = lambda _rows: None
        self._sessions = sessions
        self._store = store
        self._context = context
        self._tidied_on = ""

    async def run(self) -> None:
        """Keep house until this is cancelled."""
        while True:
            await asyncio.sleep(HOUSEKEEPING_S)
            try:
                await self.keep()
            except Exception as error:  # noqa: BLE001  # done again soon; a broken store stops the server by itself
                self._context.log.warning("housekeeping failed", error=repr(error))

    async def keep(self) -> None:
        """End sessions that are no longer valid, close idle connections, and delete what is old."""
        config, store = self._context.config.now, self._store
        if sessions := self._sessions.directory.session_hashes:
            self._sessions.logouts.revoke(sessions - await store.run(kept_sessions))
        self._sessions.claims.renew()
        self._sessions.dismiss_idle(self._context.now() - config.limits.idle_s)
        await store.drop_oldest_info(config.limits.info_bytes)
        if config.reviewers.queue:
            await store.forget_excess_reviews(config.reviewers.queue)
        await store.forget_published(self._days_ago(config.mqtt.keep_days))
        await self._bound_outbox(config.mqtt)
        await store.run(forget_counted, self._days_ago(1))
        await self._forget_old(config.keep)
        await self._tidy(config.keep)

    def _days_ago(self, days: float) -> str:
        return later(self._context.utc(), -DAY_S * days)

    async def _forget_old(self, keep: Keep) -> None:
        for days, forget in (
            (keep.games_days, forget_matches),
            (keep.reviews_days, forget_reviews),
            (keep.reports_days, forget_reports),
        ):
            if days is None:
                continue
            before, steps = self._days_ago(days), STEPS
            while steps and await self._store.run(forget, before):
                await asyncio.sleep(STEP_S)
                steps -= 1

    async def _tidy(self, keep: Keep) -> None:
        """Once a day, in the quiet hour, give back what deleted rows leave."""
        now = self._context.utc()
        if int(now[HOUR]) != keep.quiet_hour or now[DAY] == self._tidied_on:
            return
        self._tidied_on = now[DAY]
        await self._store.run(renew_statistics)
        is_more_left = True
        while is_more_left:
            await asyncio.sleep(STEP_S)
            is_more_left = await self._store.run(give_back_room)

    async def _bound_outbox(self, mqtt: Mqtt) -> None:
        dropped = await self._store.drop_oldest_payloads(mqtt.outbox_rows, mqtt.outbox_bytes)
        if dropped.unpublished:
            self._context.log.warning(
                "the outbox was too large", never_published=dropped.unpublished
            )
            self.on_dropped(dropped.unpublished)
