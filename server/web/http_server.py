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
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from ssl import SSLContext
from typing import Final, NamedTuple

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from server.net.gate import Gate, Visit
from server.net.urls import url_of

BACKLOG: Final = 256
REQUEST_S: Final = 15.0
"""For a question and its answer, from the last answer on; the slowest list takes a second."""
IDLE_S: Final = 5
HEAD_BYTES: Final = 16 * 1024


class Ingress(NamedTuple):
    """Who may connect, and how.

    Attributes:
        gate: counts connections.
        tls: encrypts, when there is a certificate.
    """

    gate: Gate
    tls: SSLContext | None = None


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 on one connection, which may neither dawdle nor be one too many.

    Attributes:
        gate: counts connections.
    """

    gate: Gate
    _visit: Visit
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, unless there are too many already."""
        super().connection_made(transport)
        self._visit = self.gate.enter(str(transport.get_extra_info("peername")[0]))
        if self._visit.refusal is not None:
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
        self.gate.leave(self._visit)
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop_waiting()
        self._patience = self.loop.call_later(REQUEST_S, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None


class _UvicornServer(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave them to whoever owns the process."""
        yield


@asynccontextmanager
async def serve_http(app: ASGIApp, host: str, port: int, ingress: Ingress) -> AsyncIterator[str]:
    """Serve an application as long as the block runs; gives its URL.

    Args:
        app: the application.
        host: address to listen on.
        port: port to listen on; 0 for any free one.
        ingress: who may connect, and how.

    Raises:
        OSError: when it can't be listened there.
    """
    listening = await _bind(host, port)
    server = _UvicornServer(_settings(app, ingress))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve(sockets=[listening]), name="http")
        try:
            scheme = "http" if ingress.tls is None else "https"
            yield url_of(scheme, *listening.getsockname()[:2])
        finally:
            server.should_exit = True


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
        bound.listen(BACKLOG)
        undo.pop_all()
    return bound


def _settings(app: ASGIApp, ingress: Ingress) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=type("CountedProtocol", (BoundedProtocol,), {"gate": ingress.gate}),
        ssl_context_factory=_context_factory(ingress.tls),
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


def _context_factory(
    tls: SSLContext | None,
) -> Callable[[uvicorn.Config, Callable[[], SSLContext]], SSLContext] | None:
    return None if tls is None else lambda _config, _default: tls
