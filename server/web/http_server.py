"""HTTP on one event loop, with limits on connections and time.

uvicorn serves, with three changes. It installs no signal handlers, since the process has its own.
The port is bound before, so that a port in use raises ``OSError`` instead of ending the process.
And a connection that is idle, sends slowly or doesn't read its response is closed, which uvicorn
does only between requests: slow clients must not hold the connections of others. That begins with
their TLS handshake.
"""

from __future__ import annotations

import asyncio
import socket  # noqa: TID251  # the type
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from ssl import SSLContext
from typing import Final, NamedTuple, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from server.net import prices
from server.net.gate import Door, Gate, Visit
from server.net.listening import ACCEPTS_A_TURN, GuardedSocket, listening_socket
from server.net.tls import handshake_times
from server.net.urls import url_of

REQUEST_S: Final = 15.0
"""Time for a request and its response, since the last one; the slowest list takes a second."""
IDLE_S: Final = 5
HEAD_BYTES: Final = 16 * 1024
ACCEPTS_PER_S: Final = 1000.0
"""More than at the ports of games, which have another process."""


class Ingress(NamedTuple):
    """Connection limits and encryption of a port.

    Attributes:
        gate: counts connections.
        tls: encrypts the port; None for plain HTTP.
        handshake_s: how long a TLS handshake may take, in seconds.
    """

    gate: Gate
    tls: SSLContext | None = None
    handshake_s: float = 10.0


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 on one connection, counted by the gate and limited in time.

    Attributes:
        gate: counts connections.
    """

    gate: Gate
    _visit: Visit
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Admit the connection, or abort it."""
        super().connection_made(transport)
        self._visit = self.gate.enter(str(transport.get_extra_info("peername")[0]))
        if self._visit.refusal is not None:
            transport.abort()
        else:
            self._wait()

    def on_response_complete(self) -> None:
        """Restart the timer for the next request."""
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timer and leave the gate."""
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
    def __init__(self, config: uvicorn.Config, handshake_s: float) -> None:
        super().__init__(config)
        self._handshake_s = handshake_s

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen as uvicorn does, with bounds for TLS handshakes, which it has no option for."""
        loop, config = asyncio.get_running_loop(), self.config
        make_protocol = partial(
            cast("type[BoundedProtocol]", config.http_protocol_class),
            config=config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        self.servers = [
            await loop.create_server(
                make_protocol,
                sock=listening,
                ssl=config.ssl,
                backlog=ACCEPTS_A_TURN,
                **handshake_times(config.ssl, self._handshake_s),
            )
            for listening in sockets or ()
        ]
        self.started = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Install no signal handlers; the process has its own."""
        yield


@asynccontextmanager
async def serve_http(app: ASGIApp, host: str, port: int, ingress: Ingress) -> AsyncIterator[str]:
    """Serve an application while the block runs; yield its URL.

    Args:
        app: the application.
        host: address to listen on.
        port: port to listen on; 0 for any free one.
        ingress: connection limits and TLS.

    Raises:
        OSError: when the port can't be opened.
    """
    async with serve_on(await listening_socket(host, port), app, ingress) as url:
        yield url


@asynccontextmanager
async def serve_on(listening: socket.socket, app: ASGIApp, ingress: Ingress) -> AsyncIterator[str]:
    """Serve an application on a listening socket while the block runs; yield its URL.

    Args:
        listening: the socket; closed with the block.
        app: the application.
        ingress: connection limits and TLS.
    """
    server = _UvicornServer(_settings(app, ingress), ingress.handshake_s)
    price = prices.TLS if ingress.tls is not None else 0.0
    door = Door(ingress.gate, price, asyncio.get_running_loop().time)
    listening = GuardedSocket(listening, door, accepts_per_s=ACCEPTS_PER_S)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve(sockets=[listening]), name="http")
        try:
            scheme = "http" if ingress.tls is None else "https"
            yield url_of(scheme, *listening.getsockname()[:2])
        finally:
            server.should_exit = True


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
