"""A port accepts at a pace, asks its guard, and learns a client's address from trusted proxies."""

import asyncio
import socket
import struct
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, closing, suppress

import pytest

from mancala.server.net import accepting
from mancala.server.net.accepting import ACCEPTS_BURST, ACCEPTS_PER_S, GuardedPort
from mancala.server.net.limits.client_address import V2
from mancala.server.net.listening import guarded_ports
from tests.patience import PATIENCE_S

HOST = "127.0.0.1"
CLIENT = "192.0.2.44"
LINE = f"PROXY TCP4 {CLIENT} 192.0.2.1 1234 80\r\n".encode()
HEADER = V2 + struct.pack("!BBH4s4sHH", 0x21, 0x11, 12, bytes([192, 0, 2, 44]), bytes(4), 1, 2)


class OneAddressGuard:
    """Admits all but one address; trusts this machine, or no proxy."""

    def __init__(self, *, refused: str = "", trusted: str = "") -> None:
        self._refused = refused
        self._trusted = trusted
        self.open: Counter[str] = Counter()
        self.is_empty = asyncio.Event()
        self._changed = asyncio.Event()

    async def are_open(self, number: int) -> None:
        while self.open.total() < number:
            self._changed.clear()
            await self._changed.wait()

    def admits(self, address: str) -> bool:
        """Return whether it is another address; count it."""
        self.open[address] += address != self._refused
        self._changed.set()
        return address != self._refused

    def closed(self, address: str) -> None:
        self.open[address] -= 1
        if not self.open.total():
            self.is_empty.set()

    def trusts(self, address: str) -> bool:
        return address == self._trusted


class Greeter(asyncio.Protocol):
    """Says whose the connection is, and sends back what comes."""

    def __init__(self, address: str) -> None:
        self._address = address

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        transport.write(self._address.encode() + b"\n")  # type: ignore[attr-defined]  # a TCP one

    def data_received(self, data: bytes) -> None:
        self._transport.write(data)  # type: ignore[attr-defined]  # asyncio hands over a transport that writes


@asynccontextmanager
async def greeting(guard: OneAddressGuard) -> AsyncIterator[GuardedPort]:
    (port,) = await guarded_ports("port", HOST, 0, guard)
    port.serve(Greeter, None, PATIENCE_S)
    async with asyncio.timeout(PATIENCE_S):
        with closing(port):
            yield port


async def say(port: GuardedPort, *pieces: bytes) -> tuple[bytes, bytes]:
    """Send pieces and the end of the stream; return the greeting and what came back."""
    reader, writer = await asyncio.open_connection(HOST, port.number)
    with closing(writer):
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(0)
        greeted = await reader.readline()
        writer.write_eof()
        return greeted.strip(), await reader.read()


async def test_connections_that_come_too_fast_wait_and_are_all_accepted() -> None:
    """At most N a second, after the first few."""
    number = 3 * int(ACCEPTS_BURST)
    loop = asyncio.get_running_loop()
    guard = OneAddressGuard()
    async with greeting(guard) as port:
        with ExitStack() as stack:
            began = loop.time()
            for _ in range(number):
                stack.enter_context(socket.create_connection((HOST, port.number)))
            await guard.are_open(number)
            assert loop.time() - began >= (number - ACCEPTS_BURST - 1) / ACCEPTS_PER_S


async def test_the_guard_learns_of_each_end() -> None:
    """Also of those that are under way when the port closes."""
    guard = OneAddressGuard()
    async with greeting(guard) as port:
        assert await say(port, b"hello") == (HOST.encode(), b"hello")
        await guard.is_empty.wait()


@pytest.mark.parametrize(
    ("guard", "said"),
    [(OneAddressGuard(refused=HOST), b""), (OneAddressGuard(trusted=HOST, refused=CLIENT), LINE)],
    ids=["a peer", "a proxy's client"],
)
async def test_a_refused_connection_is_reset(guard: OneAddressGuard, said: bytes) -> None:
    """It hears nothing; the guard decides about the client that a proxy names, not about it."""
    async with greeting(guard) as port:
        with pytest.raises(ConnectionResetError):
            await say(port, said)


@pytest.mark.parametrize("header", [LINE, HEADER])
@pytest.mark.parametrize("cut", [1, 5, 14, 100])
async def test_a_trusted_proxy_names_the_client(header: bytes, cut: int) -> None:
    """By either version, however its header is cut; what follows belongs to the client."""
    guard = OneAddressGuard(trusted=HOST)
    async with greeting(guard) as port:
        found = await say(port, header[:cut], header[cut:] + b"hello")
        assert found == (CLIENT.encode(), b"hello")


@pytest.mark.parametrize(("trusted", "said"), [("192.0.2.99", LINE), (HOST, b"GET / HTTP/1.1\r\n")])
async def test_what_a_stranger_or_a_proxy_says_without_a_header_is_data(
    trusted: str, said: bytes
) -> None:
    """A stranger's header is none; where a proxy sends none, HTTP names the client, or nothing."""
    async with greeting(OneAddressGuard(trusted=trusted)) as port:
        assert await say(port, said) == (HOST.encode(), said)


async def test_a_silent_proxy_is_served_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the server speaks first, both would wait for ever."""
    monkeypatch.setattr(accepting, "SILENT_PROXY_S", 0.001)
    async with greeting(OneAddressGuard(trusted=HOST)) as port:
        assert await say(port) == (HOST.encode(), b"")


@pytest.mark.parametrize("nonsense", [b"PROXY TCP4 nowhere\r\n", V2 + b"\xff\xff\xff\xff"])
async def test_a_malformed_header_closes_the_connection(nonsense: bytes) -> None:
    """No protocol ever sees it."""
    async with greeting(OneAddressGuard(trusted=HOST)) as port:
        with suppress(ConnectionResetError):  # the kernel's, for what was not read
            assert await say(port, nonsense) == (b"", b"")
