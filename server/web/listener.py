"""HTTP on the game server's own event loop, bounded in connections and in time.

uvicorn serves; three things are ours. It leaves signals alone, since the process has one owner.
The port is bound here, so that one that is taken is an ``OSError`` and not the end of the process.
And a connection that asks nothing, asks slowly or doesn't read its answer is cut off, which uvicorn
does only between requests: the games on this loop must not pay for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

CONNECTIONS: Final = 256
"""Open at once; browsers open up to six each, so some forty people look on."""
REQUEST_S: Final = 15.0
"""For a question and its answer, from the last answer on; the slowest list takes a second."""
IDLE_S: Final = 5
HEAD_BYTES: Final = 16 * 1024


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 on one connection, which may neither dawdle nor be one too many."""

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, unless there are too many already."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.abort()
        else:
            self._wait()

    def on_response_complete(self) -> None:
        """Wait for the next question."""
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop_waiting()
        self._patience = self.loop.call_later(REQUEST_S, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None


class _Listener(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave them to whoever owns the process."""
        yield


@asynccontextmanager
async def serving(app: ASGIApp, host: str, port: int) -> AsyncIterator[str]:
    """Serve an application as long as the block runs; gives its URL.

    Args:
        app: the application.
        host: address to listen on.
        port: port to listen on; 0 for any free one.

    Raises:
        OSError: when it can't be listened there.
    """
    listening = await _bind(host, port)
    listener = _Listener(_settings(app))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(listener.serve(sockets=[listening]), name="http")
        try:
            yield _url(listening)
        finally:
            listener.should_exit = True


async def _bind(host: str, port: int) -> socket.socket:
    found = await asyncio.get_running_loop().getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    family, kind, protocol, _, address = found[0]
    with contextlib.ExitStack() as undo:
        bound = undo.enter_context(socket.socket(family, kind, protocol))
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.setblocking(False)
        bound.bind(address)
        bound.listen(CONNECTIONS)
        undo.pop_all()
    return bound


def _settings(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=BoundedProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=HEAD_BYTES,
    )


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return (
        f"http://[{host}]:{port}"
        if listening.family is socket.AF_INET6
        else f"http://{host}:{port}"
    )
