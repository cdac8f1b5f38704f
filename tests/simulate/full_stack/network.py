"""A network in memory: ports, and connections that carry bytes with delay, or no longer do.

A connection is a stream, as TCP's is: what is sent arrives in order, in pieces that need not be
those of the sending. It may be lost, which each end learns in its own time, and it may fall silent,
of which neither end hears.
"""

from __future__ import annotations

import asyncio
import errno
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from functools import partial
from itertools import count
from typing import Any, Final, Protocol

from mancala.server.net.accepting import Guard, MakeProtocol
from tests.simulate.full_stack.host import SimulatedHost, Vanishing, current_host, host_of
from tests.simulate.trace import Trace
from tests.simulate.wire import Direction

KERNEL_BYTES: Final = 16 * 1024
"""How much of what is sent the two kernels hold; the rest is in the sender's buffer."""
LARGEST_READ: Final = 256 * 1024
SPLIT: Final = 0.05
"""Probability that what is sent at one time arrives at two."""
FIRST_PORT: Final = 40_000
BACKLOG_S: Final = 0.05
"""How often a connection that the kernel keeps is offered to a process."""


class Tap(Protocol):
    """Hears what passes at one end of a connection."""

    def said(self, data: bytes) -> None: ...
    def heard(self, data: bytes) -> None: ...
    def ended(self) -> None: ...


class Taps(Protocol):
    """Makes what hears both ends of a connection: the client's, then the server's."""

    def dialled(self, host: SimulatedHost) -> None: ...
    def tap(self, link: SharedLink, host: SimulatedHost) -> tuple[Tap, Tap]: ...


class ListeningPort:
    """A port of the network, as :class:`mancala.server.net.accepting.Port` has it."""

    context: Context
    make: MakeProtocol

    def __init__(self, network: Network, host: str, number: int, guard: Guard) -> None:
        self.number = number
        self.name = host, number
        self._network = network
        self._guard = guard
        self._serves = False

    def __repr__(self) -> str:
        return f"Place{self.name}"

    @property
    def is_serving(self) -> bool:
        host = host_of(self.context) if self._serves else None
        return host is not None and not host.is_dead

    def serve(self, make: MakeProtocol, tls: object, handshake_s: float) -> None:
        """Accept connections, in the present process; nothing is encrypted."""
        del tls, handshake_s
        self.make = make
        self.context = copy_context()
        self._serves = True
        self._network.listen(self)

    def close(self) -> None:
        self._serves = False
        self._network.close(self)

    def admits(self, address: str) -> bool:
        return self._guard.admits(address)

    def closed(self, address: str) -> None:
        self._guard.closed(address)


class HeldPort:
    """A port that a process keeps open, for others that inherit it and accept its connections."""

    def __init__(self, network: Network, host: str, number: int) -> None:
        self._network = network
        self._name = host, number
        network.held.add(number)

    def getsockname(self) -> tuple[str, int]:
        return self._name

    def fileno(self) -> int:
        """Return -1: it is no socket of this machine."""
        return -1

    def close(self) -> None:
        """Close it; those that have inherited it keep it open."""
        self._network.held.discard(self._name[1])


class Network:
    """All ports and connections."""

    def __init__(self, loop: asyncio.AbstractEventLoop, trace: Trace, taps: Taps) -> None:
        self._loop = loop
        self._trace = trace
        self._taps = taps
        self._ports: dict[int, list[ListeningPort]] = {}
        self.held: set[int] = set()
        self._numbers = count(FIRST_PORT)

    async def open_ports(
        self, _setting: str, host: str, number: int, guard: Guard
    ) -> Sequence[ListeningPort]:
        return (ListeningPort(self, host, number or next(self._numbers), guard),)

    async def hold(self, _setting: str, host: str, number: int) -> Sequence[Any]:
        """Return a socket, as `mancala.server.net.listening.listening_sockets` does."""
        return [HeldPort(self, host, number)]

    async def hold_once(self, host: str, number: int) -> Any:  # noqa: ANN401  # as `hold` has it
        """Return a socket, as `mancala.server.net.listening.listening_socket` does."""
        return HeldPort(self, host, number)

    def listen(self, port: ListeningPort) -> None:
        """Open a port, perhaps beside others of its number."""
        self._ports.setdefault(port.number, []).append(port)

    def close(self, port: ListeningPort) -> None:
        if port in self._ports.get(port.number, ()):
            self._ports[port.number].remove(port)

    def close_all(self) -> None:
        self._ports.clear()
        self.held.clear()

    async def _accepting(self, number: int) -> ListeningPort | None:
        while True:
            open_ports = [port for port in self._ports.get(number, ()) if port.is_serving]
            if len(open_ports) > 1:
                return self._trace.rng.choice(open_ports)
            if open_ports or number not in self.held:
                return open_ports[0] if open_ports else None
            await asyncio.sleep(BACKLOG_S)

    async def connect(self, factory: Callable[[], Any], number: int) -> tuple[ConnectionEnd, Any]:
        host = current_host()
        if host is None:
            raise RuntimeError("only a process can connect")
        self._taps.dialled(host)
        await asyncio.sleep(2 * self._trace.rng.expovariate(1 / host.delay_s))
        port = await self._accepting(number)
        if port is None or not port.admits(host.address):
            raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
        link = SharedLink(self._loop, self._trace, host, port, next(self._numbers))
        link.client.tap, link.server.tap = self._taps.tap(link, host)
        protocol = factory()
        link.client.begin(protocol)
        self._loop.call_soon(self._accept, port, link, host, context=port.context.copy())
        return link.client, protocol

    def _accept(self, port: ListeningPort, link: SharedLink, host: SimulatedHost) -> None:
        if port.is_serving:
            link.server.begin(port.make(host.address))
        else:
            link.server.abort()


class SharedLink:
    """What the two ends of a connection share."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        trace: Trace,
        host: SimulatedHost,
        port: ListeningPort,
        number: int,
    ) -> None:
        here, there = (host.address, number), port.name
        self._loop = loop
        self.closed = partial(port.closed, host.address)
        self.is_silent = False
        self.client = ConnectionEnd(self, host.context, host.delay_s, trace, (here, there))
        self.server = ConnectionEnd(self, port.context.copy(), host.delay_s, trace, (there, here))
        self.client.peer, self.server.peer = self.server, self.client

    def lose(self, client_learns_s: float | None, server_learns_s: float | None) -> None:
        """Carry nothing any more.

        Args:
            client_learns_s: when the client's end is reset; None for never.
            server_learns_s: when the server's end is.
        """
        self.is_silent = True
        ends = (self.client, client_learns_s), (self.server, server_learns_s)
        for end, learns_s in ends:
            if learns_s is not None:
                self._loop.call_later(learns_s, end.reset, context=end.context)

    def call_later(
        self, delay_s: float, call: Callable[[], object], context: Context
    ) -> asyncio.TimerHandle:
        return self._loop.call_later(delay_s, call, context=context)


class ConnectionEnd(asyncio.Transport, Vanishing):
    """One end of a connection, as asyncio's protocols see it.

    Attributes:
        unread_bytes: how much is on its way here, or has arrived and not been read.
    """

    peer: ConnectionEnd
    tap: Tap

    def __init__(
        self,
        link: SharedLink,
        context: Context,
        delay_s: float,
        trace: Trace,
        names: tuple[tuple[str, int], tuple[str, int]],
    ) -> None:
        super().__init__(extra={"sockname": names[0], "peername": names[1]})
        self.context = context
        self.max_size = LARGEST_READ
        self.unread_bytes = 0
        self.holds_back = False
        self._link = link
        self._trace = trace
        self._names = names
        self._host = context.run(current_host)
        self._protocol: Any = None
        self._to_here = Direction(trace, partial(link.call_later, context=context), delay_s)
        self._unread: deque[bytes] = deque()
        self._limits = 0, KERNEL_BYTES
        self._is_paused = False
        self._is_ended = False
        self._is_closing = False
        self._is_lost = False
        if self._host is not None:
            self._host.endpoints[self] = None

    def begin(self, protocol: Any) -> None:  # noqa: ANN401  # asyncio's protocols share no methods
        if self._is_lost:
            return
        self._protocol = protocol
        protocol.connection_made(self)
        self._pass_on()

    # As asyncio's transports

    def is_closing(self) -> bool:
        return self._is_closing

    def get_protocol(self) -> Any:  # noqa: ANN401  # as in asyncio
        return self._protocol

    def set_protocol(self, protocol: Any) -> None:  # noqa: ANN401  # as in asyncio
        self._protocol = protocol

    def pause_reading(self) -> None:
        self._is_paused = True

    def resume_reading(self) -> None:
        self._is_paused = False
        asyncio.get_running_loop().call_soon(self._pass_on, context=self.context)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        top = KERNEL_BYTES if high is None else high
        self._limits = top // 4 if low is None else low, top

    def get_write_buffer_size(self) -> int:
        """Return how much the kernels did not take."""
        return max(0, self.peer.unread_bytes - KERNEL_BYTES)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self._is_closing or not data:
            return
        sent = bytes(data)
        self.tap.said(sent)
        cut = len(sent)
        if len(sent) > 1 and self._trace.happens(SPLIT):
            cut = self._trace.rng.randrange(1, len(sent))
        for piece in filter(None, (sent[:cut], sent[cut:])):
            self.peer.expect(piece)
        if self.get_write_buffer_size() > self._limits[1] and not self.peer.holds_back:
            self.peer.holds_back = True
            self._protocol.pause_writing()

    def can_write_eof(self) -> bool:
        """Return True: a stream can be closed in one direction."""
        return True

    def write_eof(self) -> None:
        self.peer.expect_end()

    def close(self) -> None:
        if not self._is_closing:
            self._is_closing = True
            self.peer.expect_end()
            asyncio.get_running_loop().call_soon(self._lose, None, context=self.context)

    def abort(self) -> None:
        if not self._is_lost:
            self._is_closing = True
            self.peer.expect_reset()
            asyncio.get_running_loop().call_soon(self._lose, None, context=self.context)

    def vanish(self) -> None:
        """End with its process; the kernel lets the peer know."""
        if not self._is_lost:
            self._is_lost = self._is_closing = True
            self.peer.expect_reset()
            self._forget()

    def reset(self) -> None:
        self._is_closing = True
        self._lose(ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"))

    # What is on its way here

    def expect(self, data: bytes) -> None:
        self.unread_bytes += len(data)
        self._to_here.send(partial(self._arrive, data))

    def expect_end(self) -> None:
        self._to_here.send(self._end)

    def expect_reset(self) -> None:
        self._to_here.send(self._be_reset)

    def _be_reset(self) -> None:
        if not self._link.is_silent:
            self.reset()

    def _end(self) -> None:
        if not self._link.is_silent:
            self._is_ended = True
            self._pass_on()

    def _arrive(self, data: bytes) -> None:
        if not self._link.is_silent:
            self._unread.append(data)
            self._pass_on()

    def _pass_on(self) -> None:
        while self._unread and not (self._is_paused or self._is_closing) and self._protocol:
            data = self._unread.popleft()
            if len(data) > self.max_size:
                self._unread.appendleft(data[self.max_size :])
                data = data[: self.max_size]
            self._take(data)
        if self._is_ended and not (self._unread or self._is_closing) and self._protocol:
            self._is_ended = False
            if not self._protocol.eof_received():
                self.close()

    def _take(self, data: bytes) -> None:
        self.unread_bytes -= len(data)
        self.tap.heard(data)
        self._protocol.data_received(data)
        if self.holds_back and self.peer.has_room:
            self.holds_back = False
            self.peer.go_on()

    @property
    def has_room(self) -> bool:
        return self.get_write_buffer_size() <= self._limits[0]

    def go_on(self) -> None:
        if not self._is_lost:
            call = self._protocol.resume_writing
            asyncio.get_running_loop().call_soon(call, context=self.context)

    def _lose(self, error: Exception | None) -> None:
        if not self._is_lost:
            self._is_lost = True
            self._forget()
            if self._protocol is not None:
                self._protocol.connection_lost(error)

    def _forget(self) -> None:
        if self._host is not None:
            self._host.endpoints.pop(self, None)
        self.tap.ended()
        if self is self._link.server:
            self._link.closed()
