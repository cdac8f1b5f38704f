"""An address that floods a port with connections is ignored for a while, and no other is."""

import asyncio
import socket
import struct
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing

import pytest

from mancala.server.net.accepting import Guard
from mancala.server.net.limits.connection_filter import REFUSALS
from mancala.server.net.listening import guarded_ports
from tests.patience import PATIENCE_S
from tests.server.net.doors import OpenDoor

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux filters packets so")

FLOODER, STRANGER = "127.0.0.2", "127.0.0.3"
SYN_SENT = 2
"""A state of ``struct tcp_info``: nothing has answered yet."""


class RefusingGuard(OpenDoor):
    """A guard that lets no connection of one address in."""

    def __init__(self, refused: str) -> None:
        self._refused = refused
        self.refusals = 0

    def admits(self, address: str) -> bool:
        self.refusals += address == self._refused
        return address != self._refused


@asynccontextmanager
async def listening(host: str, guard: Guard) -> AsyncIterator[int]:
    class HangUp(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            transport.close()

    (port,) = await guarded_ports("port", host, 0, guard)
    port.serve(lambda _address: HangUp(), None, PATIENCE_S)
    with closing(port):
        yield port.number


def asking(host: str, port: int, source: str) -> socket.socket:
    asks = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    asks.setblocking(False)
    asks.bind((source, 0))
    asks.connect_ex((host, port))
    return asks


def is_answered(asked: socket.socket) -> bool:
    (state,) = struct.unpack("B", asked.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1))
    return bool(state != SYN_SENT)


async def connect(host: str, port: int, source: str) -> None:
    reader, writer = await asyncio.open_connection(host, port, local_addr=(source, 0))
    assert await reader.read() == b""
    writer.close()


async def flood(host: str, port: int, other_port: int, source: str) -> socket.socket:
    """Connect until an attempt is not answered, and return that one.

    What was sent before an answer of another port had its chance to be answered.
    """
    while True:
        asked = [asking(host, port, source) for _ in range(REFUSALS)]
        await connect(host, other_port, source)
        for each in asked:
            if not is_answered(each):
                asked.remove(each)
                break
        for other in asked:
            other.close()
        if len(asked) < REFUSALS:
            return each


@pytest.mark.parametrize(("host", "source"), [("127.0.0.1", FLOODER), ("::1", "::1")])
async def test_an_address_that_floods_a_port_is_ignored_for_a_while(host: str, source: str) -> None:
    """Its kernel tries again by itself, and is heard then; its connections elsewhere go on."""
    guard = RefusingGuard(source)
    async with (
        asyncio.timeout(PATIENCE_S),
        listening(host, guard) as port,
        listening(host, OpenDoor()) as other_port,
    ):
        with await flood(host, port, other_port, source) as ignored:
            heard = asyncio.Event()
            asyncio.get_running_loop().add_writer(ignored, heard.set)
            before = guard.refusals
            await heard.wait()
            asyncio.get_running_loop().remove_writer(ignored)
            while guard.refusals == before:
                await connect(host, other_port, source)


async def test_other_addresses_notice_nothing_of_it() -> None:
    """They connect to the same port while the flooder is ignored."""
    host = "127.0.0.1"
    async with (
        asyncio.timeout(PATIENCE_S),
        listening(host, RefusingGuard(FLOODER)) as port,
        listening(host, OpenDoor()) as other_port,
    ):
        is_seen = False
        while not is_seen:
            with await flood(host, port, other_port, FLOODER) as ignored:
                await connect(host, port, STRANGER)
                is_seen = not is_answered(ignored)
