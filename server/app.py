"""The match server, composed: a listening socket, the hall, the journal and what announces results."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from websockets import CloseCode
from websockets.asyncio.server import Server as Listener
from websockets.asyncio.server import ServerConnection, serve

from protocol.messages import VERSION
from server.config import Config, checked
from server.hall import Hall, Surroundings
from server.journal import Entry
from server.log import Log, Silence
from server.seat import LARGEST_FRAME, Seat


class Forgetful:
    def commit(self, entries: Sequence[Entry], done: Callable[[], None]) -> None:
        asyncio.get_running_loop().call_soon(done)


class OpenDoors:
    def check(self, name: str, token: str | None, answer: Callable[[str | None], None]) -> None:
        answer(None)


class Server:
    def __init__(self, config: Config, *, log: Log | None = None) -> None:
        self.config = checked(config)
        self._log = log or Silence()

    url: str
    mqtt_url: str | None = None

    async def __aenter__(self) -> Self:
        self._tasks = asyncio.TaskGroup()
        await self._tasks.__aenter__()
        loop = asyncio.get_running_loop()
        self._hall = Hall(
            self.config,
            OpenDoors(),
            Surroundings(
                Forgetful(),
                loop.time,
                loop.call_at,
                utc,
                lambda: secrets.token_hex(6),
                secrets.choice,
                self._log,
            ),
        )
        self._listener: Listener = await serve(
            self._sit,
            self.config.host,
            self.config.port,
            compression=None,
            select_subprotocol=_select,
            max_size=LARGEST_FRAME,
            ping_interval=self.config.limits.ping_s,
            close_timeout=2,
        )
        port = self._listener.sockets[0].getsockname()[1]
        self.url = f"ws://{self.config.host}:{port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._hall.is_draining = True
        self._hall.suspend()
        self._hall.dismiss("restarting", self.config.reconnect_after_s, CloseCode.SERVICE_RESTART)
        self._listener.close(code=CloseCode.SERVICE_RESTART)
        await self._listener.wait_closed()
        await self._tasks.__aexit__(kind, error, trace)

    async def _sit(self, connection: ServerConnection) -> None:
        seat = Seat(connection, self._hall, self.config.limits, self._spawn)
        self._hall.arrived(seat)
        await seat.run()

    def _spawn(self, work: Coroutine[None, None, None], name: str) -> object:
        return self._tasks.create_task(work, name=name)


def _select(connection: ServerConnection, offered: Sequence[str]) -> str | None:
    return VERSION if VERSION in offered else None


def utc() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
