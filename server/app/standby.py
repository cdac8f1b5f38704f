"""A server that stands by: it waits until no other one has the store, as long as that takes.

Whether a store is free is asked of the store alone: of the lock of the owner's session, or of its
file. The claim itself comes later, with the start, and decides between servers that wait beside
each other. A claim ends the tenure of an owner that has only lost its connection, so the ports are
looked at before.
"""

import asyncio
import threading  # noqa: TID251  # the way to threads that end with the process
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import Any, Final

from ..health.backoff import wait_at_most
from ..health.log import Log
from ..net.listening import PortError
from ..store import StoreError
from ..store.database.database import display, looks
from ..store.database.faults import StoreInUseError

LOOK_S: Final = 0.5
"""Between two looks at a store that is in use, in seconds."""
RETRY_S: Final = 0.5
"""Between two attempts to reach PostgreSQL, or to find the ports free, in seconds."""
GRACE_S: Final = 10.0
"""How long a PostgreSQL that was away is left to its former owner, which also has to reconnect."""


def patience_s(grace_s: float) -> float:
    """Return for how long a server tries to reach its store before it gives it up, in seconds.

    Where the way to the store alone is cut, its bots know nothing of the next server, which keeps
    their seats for ``grace_s``.
    """
    return max(GRACE_S, grace_s / 2)


class _Threads(Executor):
    """Runs each call in a thread that no one waits for: a database that is frozen answers none."""

    def submit(self, call: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:  # noqa: ANN401  # any call
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()

        def act() -> None:
            try:
                future.set_result(call(*args, **options))
            except Exception as error:  # noqa: BLE001  # passed to who asked
                future.set_exception(error)

        threading.Thread(target=act, name="standby", daemon=True).start()
        return future


class Standby:
    """Waits for a store, again where another server that waits beside it was there first."""

    def __init__(self, stop: asyncio.Event, log: Log, standing_by: Callable[[], object]) -> None:
        """Prepare to wait.

        Args:
            stop: ends the wait.
            log: hears who has the store, again when that changes.
            standing_by: called once it is known that the store is in use.
        """
        self._stop = stop
        self._log = log
        self._standing_by = standing_by
        self._threads = _Threads()
        self._said = ""
        self._is_known = False
        self._is_away = False

    async def wait(
        self,
        place: str,
        look_around: Callable[[], Awaitable[None]],
        prepare: Callable[[], Awaitable[None]],
    ) -> bool:
        """Return once no other process has a store, or it is to stop: whether to take over.

        Args:
            place: where the store is.
            look_around: raises what would end a start on a store that is free.
            prepare: called once it is known that the store is in use.

        Raises:
            StoreError: when the store can't be reached, and never was.
            PortError: raised by ``look_around`` for a store that no other process had.
        """
        taken = ""
        while not self._stop.is_set():
            try:
                await self._look(place, prepare)
                if self._stop.is_set():
                    break
                await look_around()
            except StoreError as error:
                await self.lose(error)
            except PortError as error:
                if not self._said:
                    raise
                if str(error) != taken:
                    taken = str(error)
                    self._log.warning("not taking over", error=taken)
                await self._pause(RETRY_S)
            else:
                self._log.info("taking over", store=display(place))
                return True
        return False

    async def lose(self, error: StoreError) -> None:
        """Wait a moment for a store that can't be reached; raise the error if it never was."""
        if not self._is_known:
            raise error
        if not self._is_away:
            self._log.warning("the store is away", error=str(error))
        self._is_away = True
        await self._pause(RETRY_S)

    async def _look(self, place: str, prepare: Callable[[], Awaitable[None]]) -> None:
        asked = looks(place)
        try:
            await self._outwait(asked, place, prepare)
        finally:
            with suppress(ValueError):  # a thread is in it
                asked.close()

    async def _outwait(
        self,
        asked: Generator[StoreInUseError | None],
        place: str,
        prepare: Callable[[], Awaitable[None]],
    ) -> None:
        async def ask() -> Any:  # noqa: ANN401  # what `looks` yields
            if self._stop.is_set():
                return None
            loop = asyncio.get_running_loop()
            found = loop.run_in_executor(self._threads, next, asked, None)
            stopping = asyncio.ensure_future(self._stop.wait())
            await asyncio.wait((found, stopping), return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            if found.done():
                return found.result()
            found.cancel()
            return None

        await ask()
        self._is_known = True
        if self._is_away:
            await self._pause(GRACE_S)
            self._is_away = False
        while (in_use := await ask()) is not None:
            if str(in_use) != self._said:
                is_first, self._said = not self._said, str(in_use)
                self._log.info("standing by", store=display(place), owner=in_use.owner)
                if is_first:
                    self._standing_by()
                    await prepare()
            await self._pause(LOOK_S)

    async def _pause(self, seconds: float) -> None:
        await wait_at_most(seconds, self._stop)
