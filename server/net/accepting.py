"""Accepting connections: guarded, at a pace, and by the address of the client behind a proxy.

asyncio makes a task, a transport and a protocol of each connection that it accepts, and a websocket
a handshake: up to a millisecond, even if it is aborted then. A :class:`GuardedPort` accepts 250 a
second, and the others wait in the kernel. It asks a guard about the peer's address as soon as the
kernel hands a connection over, and resets those that are refused: 15 µs each. The guard also learns
when the socket of one that was accepted is closed, so it counts those that never finish a
handshake, which no protocol of asyncio hears of.

Of a connection from a trusted proxy, the header of the PROXY protocol is read first, if there is
one, and the guard is asked about the client that it names. A header comes with the first bytes,
before TLS. Where the server speaks first, a proxy's silence for a second means that there is none.

The port accepts by itself, because event loops differ in how they accept: asyncio asks a Python
socket, uvloop the kernel.
"""

import asyncio
import socket  # noqa: TID251  # the type; the way to ports is handed in as OpenPorts
import struct
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from ssl import SSLContext
from typing import Final, Protocol

from .limits.client_address import (
    LONGEST_HEADER,
    MalformedProxyHeaderError,
    normalised,
    read_proxy_header,
)
from .limits.connection_filter import ConnectionFilter
from .limits.costs import TokenBucket
from .tls import handshake_times

ACCEPTS_PER_S: Final = 250.0
"""Connections that a port accepts; each takes up to a millisecond of the games' event loop."""
ACCEPTS_BURST: Final = 8.0
"""How many of them it accepts at a time."""
REFUSALS_A_TURN: Final = 16
"""Connections refused before the event loop runs anything else."""
NO_DESCRIPTOR_S: Final = 1.0
"""How long a port rests when the process has no descriptor left."""
SILENT_PROXY_S: Final = 1.0
"""A trusted peer that is silent for this long sends no PROXY header."""
LOOK_AGAIN_S: Final = 0.01
"""How soon the rest of a header is looked for."""
RESET_ON_CLOSE: Final = struct.pack("ii", 1, 0)

MakeProtocol = Callable[[str], asyncio.BaseProtocol]
"""Makes the protocol of a connection from an address."""


class Guard(Protocol):
    """Decides about each connection that a port is handed."""

    def admits(self, address: str) -> bool:
        """Return whether to accept a connection from an address; count it if so."""

    def closed(self, address: str) -> None:
        """Note that the socket of a connection that was accepted is closed."""

    def trusts(self, address: str) -> bool:
        """Return whether an address is that of a proxy that names its clients."""


class Port(Protocol):
    """A port that is open, and accepts connections once it serves."""

    @property
    def number(self) -> int:
        """The TCP port that it listens on; chosen by the kernel if 0 was asked for."""

    def serve(self, make: MakeProtocol, tls: SSLContext | None, handshake_s: float) -> None:
        """Accept connections; a TLS handshake may take ``handshake_s``."""

    def close(self) -> None:
        """Accept no more, and drop those that have no protocol yet."""


OpenPorts = Callable[[str, str, int, Guard], Awaitable[Sequence[Port]]]
"""Opens one port on each address of a host, as `guarded_ports` does."""


class AcceptedSocket(socket.socket):
    """The socket of a connection, whose guard learns of its end."""

    def __init__(self, accepted: socket.socket, closed: Callable[[], None]) -> None:
        """Take over a socket, which must not be used any more."""
        super().__init__(accepted.family, accepted.type, accepted.proto, accepted.detach())
        self._report: Callable[[], None] | None = closed

    def close(self) -> None:
        """Close the socket, and report it once."""
        super().close()
        self._end()

    def detach(self) -> int:
        """Report the end: uvloop has closed the descriptor, or will."""
        self._end()
        return super().detach()

    def _end(self) -> None:
        report, self._report = self._report, None
        if report is not None:
            report()


class GuardedPort:
    """A listening socket that accepts what its guard lets in, and not too much at a time."""

    _make: MakeProtocol
    _tls: SSLContext | None
    _handshake_s: float

    def __init__(
        self, listening: socket.socket, guard: Guard, *, accepts_per_s: float = ACCEPTS_PER_S
    ) -> None:
        """Take over a socket that listens and does not block."""
        self._listening = listening
        self._guard = guard
        self._filter = ConnectionFilter(listening)
        self._pace = TokenBucket(per_s=accepts_per_s, capacity=ACCEPTS_BURST, now=0.0)
        self._loop = asyncio.get_running_loop()
        self._resting: asyncio.TimerHandle | None = None
        self._opening: set[asyncio.Task[None]] = set()

    @property
    def number(self) -> int:
        return int(self._listening.getsockname()[1])

    def serve(self, make: MakeProtocol, tls: SSLContext | None, handshake_s: float) -> None:
        self._make, self._tls, self._handshake_s = make, tls, handshake_s
        self._go_on()

    def stop_accepting(self) -> None:
        """Accept no more; those that were accepted go on."""
        if self._listening.fileno() < 0:
            return
        self._loop.remove_reader(self._listening)
        if self._resting is not None:
            self._resting.cancel()
        self._listening.close()

    def close(self) -> None:
        self.stop_accepting()
        for task in self._opening:
            task.cancel()

    def _go_on(self) -> None:
        self._resting = None
        self._loop.add_reader(self._listening, self._accept)

    def _rest(self, wait_s: float) -> None:
        self._loop.remove_reader(self._listening)
        self._resting = self._loop.call_later(wait_s, self._go_on)

    def _accept(self) -> None:
        """Accept one connection before anything else runs; reset those refused before it."""
        wait_s = self._pace.wait_s(self._loop.time())
        if wait_s > 0:
            self._rest(wait_s)
            return
        try:
            for _ in range(REFUSALS_A_TURN):
                connection, (host, *_) = self._listening.accept()
                if self._take(connection, normalised(str(host))):
                    return
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError:  # no descriptor is left
            self._rest(NO_DESCRIPTOR_S)

    def _take(self, connection: socket.socket, peer: str) -> bool:
        connection.setblocking(False)
        if self._guard.trusts(peer):
            self._pace.take(1, self._loop.time())
            self._begin(connection, self._introduce(connection, peer))
            return True
        if not self._guard.admits(peer):
            _reset(connection)
            self._filter.refused(peer)
            return False
        self._pace.take(1, self._loop.time())
        self._admit(connection, peer)
        return True

    def _admit(self, connection: socket.socket, address: str) -> None:
        accepted = AcceptedSocket(connection, partial(self._guard.closed, address))
        self._begin(accepted, self._connect(accepted, address))

    def _begin(self, connection: socket.socket, work: Coroutine[None, None, None]) -> None:

        def end(task: asyncio.Task[None]) -> None:
            self._opening.discard(task)
            if task.cancelled():
                connection.close()

        task = self._loop.create_task(work, name="accept")
        self._opening.add(task)
        task.add_done_callback(end)

    async def _connect(self, accepted: socket.socket, address: str) -> None:
        """Hand a connection to a protocol, after its TLS handshake."""
        with suppress(OSError):  # of the peer or its TLS; the transport has closed the socket
            await self._loop.connect_accepted_socket(
                partial(self._make, address),
                accepted,
                ssl=self._tls,
                **handshake_times(self._tls, self._handshake_s),
            )

    async def _introduce(self, connection: socket.socket, proxy: str) -> None:
        """Learn from a proxy whose connection it is; ask the guard about that address."""
        try:
            async with asyncio.timeout(self._handshake_s):
                address = await self._client_behind(connection) or proxy
        except (OSError, MalformedProxyHeaderError):
            connection.close()
            return
        if self._guard.admits(address):
            self._admit(connection, address)
        else:
            _reset(connection)

    async def _client_behind(self, connection: socket.socket) -> str | None:
        """Take the PROXY header from a connection, if it has one; return the client's address."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SILENT_PROXY_S):
                await self._readable(connection)
        while True:
            try:
                head = connection.recv(LONGEST_HEADER, socket.MSG_PEEK)
            except BlockingIOError:
                return None
            if not head:
                raise ConnectionResetError("the proxy has closed the connection")
            header = read_proxy_header(head)
            if header is not None:
                connection.recv(header.size)
                return header.client
            await asyncio.sleep(LOOK_AGAIN_S)

    async def _readable(self, connection: socket.socket) -> None:
        readable = asyncio.Event()
        self._loop.add_reader(connection, readable.set)
        try:
            await readable.wait()
        finally:
            self._loop.remove_reader(connection)


def _reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
    connection.close()
