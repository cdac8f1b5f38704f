"""The match server, composed: the store, the hall, a listening socket and the publisher.

    async with Server(config) as server:
        print(server.url, server.mqtt_url)

On the way out it drains: no new match or game begins, running games get ``drain_s``, what is not
over by then is suspended, and everybody is told to come back. A server with the same store takes
the suspended games up again. So does one whose predecessor was killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
from collections.abc import Coroutine, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, Self

from websockets import CloseCode, Subprotocol
from websockets.asyncio.server import Server as Listener
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as listen

from protocol.messages import VERSION
from server.broker import BrokerError, find_mosquitto, private_broker
from server.config import Config, checked
from server.hall import Hall, Surroundings
from server.log import Log, Silence
from server.publisher import Address, Publisher
from server.seat import LARGEST_FRAME, Seat
from server.store import Store

CLOSE_TIMEOUT_S: Final = 2.0
PUBLISH_TIMEOUT_S: Final = 2.0
STOPPING: Final = "the server restarts"


class Server:
    """A match server; runs while its ``async with`` block does.

    Attributes:
        config: its settings.
        url: where bots and spectators connect.
        mqtt_url: the broker that results go to, or None when there is none.
    """

    def __init__(self, config: Config, *, log: Log | None = None) -> None:
        """Prepare a server.

        Args:
            config: its settings.
            log: where it tells what happens; by default nowhere.

        Raises:
            ConfigError: when the settings can't be used.
        """
        self.config = checked(config)
        self.url = ""
        self.mqtt_url: str | None = None
        self._log = log or Silence()
        self._stack = contextlib.AsyncExitStack()

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of the games under way."""
        return self._hall.games

    async def __aenter__(self) -> Self:
        """Start everything.

        Raises:
            StoreError: when the store can't be opened.
            ConfigError: when the broker's URL can't be used.
            OSError: when the port is taken.
        """
        async with self._stack as stack:
            self._tasks = await stack.enter_async_context(asyncio.TaskGroup())
            self._store = await stack.enter_async_context(self._make_store())
            stack.push_async_callback(self._stop_publishing)
            await self._start_publishing(stack)
            self._hall = self._make_hall()
            sessions, matches = await self._store.unfinished()
            self._listener = await self._listen()
            self._hall.restore(sessions, matches)
            stack.push_async_callback(self._drain)
            self._stack = stack.pop_all()
        port = self._listener.sockets[0].getsockname()[1]
        host = f"[{self.config.host}]" if ":" in self.config.host else self.config.host
        self.url = f"ws://{host}:{port}"
        self._log.info("listening", url=self.url, mqtt=self.mqtt_url, restored=len(matches))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Drain and stop everything."""
        return await self._stack.__aexit__(kind, error, trace)
