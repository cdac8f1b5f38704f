"""A server that stands by: it waits until no other one has the store, as long as that takes.

Whether a store is free is asked of the store alone: of the lock of the owner's session, or of its
file. The claim itself comes later, with the start, and decides between servers that wait beside
each other.
"""

import asyncio
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Final

from ..health.log import Log
from ..store import StoreError
from ..store.database.database import display, looks

RETRY_S: Final = 0.5
"""Between two attempts to reach PostgreSQL, in seconds."""
GRACE_S: Final = 10.0
"""How long a PostgreSQL that was away is left to its former owner, which also has to reconnect."""


def patience_s(grace_s: float) -> float:
    """Return for how long a server tries to reach its store before it gives it up, in seconds.

    Where the way to the store alone is cut, its bots know nothing of the next server, which keeps
    their seats for ``grace_s``.
    """
    return max(GRACE_S, grace_s / 2)


class Standby:
    """Waits for a store, again where another server that waits beside it was there first."""

    def __init__(self, stop: asyncio.Event, log: Log, standing_by: Callable[[], object]) -> None:
        """Prepare to wait.

        Args:
            stop: looked at twice a second.
            log: hears who has the store, again when that changes.
            standing_by: called once it is known that the store is in use.
        """
        self._stop = stop
        self._log = log
        self._standing_by = standing_by
        self._said = ""
        self._is_away = False

    async def wait(self, place: str) -> None:
        """Return once no other process has a store, or it is to stop.

        Raises:
            StoreError: when the store can't be reached, and never was.
        """
        while not self._stop.is_set():
            try:
                await self._look(place)
            except StoreError as error:
                await self._lose(error)
            else:
                break
        if not self._stop.is_set():
            self._log.info("taking over", store=display(place))

    async def _look(self, place: str) -> None:
        with closing(looks(place)) as asked:
            await asyncio.to_thread(next, asked)
            if self._is_away:
                await self._pause(GRACE_S)
                self._is_away = False
            while (in_use := await asyncio.to_thread(next, asked, None)) is not None:
                if self._stop.is_set():
                    return
                if str(in_use) != self._said:
                    if not self._said:
                        self._standing_by()
                    self._said = str(in_use)
                    self._log.info("standing by", store=display(place), owner=in_use.owner)

    async def _lose(self, error: StoreError) -> None:
        if not self._said:
            raise error
        if not self._is_away:
            self._log.warning("the store is away", error=str(error))
        self._is_away = True
        await self._pause(RETRY_S)

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stop.wait()
