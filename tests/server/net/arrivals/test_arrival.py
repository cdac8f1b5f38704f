"""When messages arrived: by the kernel's clock, and within which bounds."""

import asyncio
import socket
import ssl
import struct
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mancala.protocol.messages import Seek, Seeking, Welcome
from mancala.server.config.settings import Tls
from mancala.server.net import listener
from mancala.server.net.arrivals.arrival import Arrival, TcpInfo, arrival
from mancala.server.net.seat import SocketSeat
from tests.drills.flooders import frame
from tests.patience import connect
from tests.server import peers
from tests.sources import ROOT

NOW = 100.0
CERTIFICATES = ROOT / "tests" / "data" / "tls"


class FakeSocket:
    """A socket with the figures of a test, on a real descriptor that has unread bytes or not."""

    def __init__(self, info: bytes, descriptor: int) -> None:
        self._info = info
        self._descriptor = descriptor

    def getsockopt(self, _level: int, _option: int, _size: int) -> bytes:
        return self._info

    def fileno(self) -> int:
        return self._descriptor


class FakeTransport(asyncio.Transport):
    """A transport with what may be asked of it."""

    def __init__(self, **extra: Any) -> None:  # noqa: ANN401  # as asyncio has it
        super().__init__(extra)


def info(age_ms: int, rtt_us: int = 0xFFFFFFFF) -> bytes:
    return struct.pack("<8x24I4Q4I", *[0] * 11, age_ms, *[0] * 12, *[0] * 4, 0, 0, 0, rtt_us)


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


Pair = tuple[socket.socket, socket.socket]


@pytest.mark.parametrize(
    ("unread", "is_last", "extra", "earliest"),
    [
        (b"", True, {}, 99.75),  # what was read ends with the message
        (b"", False, {}, -inf),
        (b"x", True, {}, -inf),
        (b"", True, {"ssl_object": object()}, -inf),  # it may hold a part of a record
    ],
)
def test_the_newest_data_is_the_message_unless_more_may_have_come_after_it(
    pair: Pair, unread: bytes, extra: dict[str, object], earliest: float, *, is_last: bool
) -> None:
    """Then the moment of its arrival is known, otherwise only the latest possible one."""
    pair[1].send(unread)
    transport = FakeTransport(socket=FakeSocket(info(250), pair[0].fileno()), **extra)
    assert arrival(transport, NOW, is_last=is_last) == Arrival(earliest, 99.75)


@pytest.mark.parametrize("extra", [{}, {"socket": FakeSocket(b"", 0)}])
def test_without_the_kernels_figures_a_message_arrived_before_it_was_read(
    extra: dict[str, FakeSocket],
) -> None:
    """No socket, or a system that returns less."""
    transport = FakeTransport(**extra)
    assert TcpInfo.of(transport) is None
    assert arrival(transport, NOW, is_last=True) == Arrival(-inf, NOW)


def test_a_closed_or_other_socket_has_no_figures(pair: Pair) -> None:
    """It is no TCP connection."""
    assert TcpInfo.of(FakeTransport(socket=pair[0])) is None


def test_the_round_trip_is_unknown_before_it_was_measured() -> None:
    """All bits are set in the kernel's figure."""
    assert TcpInfo.of(FakeTransport(socket=FakeSocket(info(0), 0))) == TcpInfo(0.0, None)
    assert TcpInfo.of(FakeTransport(socket=FakeSocket(info(8, 1500), 0))) == TcpInfo(0.008, 0.0015)


async def test_the_figures_of_a_real_connection_are_those_of_this_machine() -> None:
    """On loopback the round trip is known, and far below a second."""
    loop = asyncio.get_running_loop()
    async with await loop.create_server(asyncio.Protocol, "127.0.0.1", 0) as server:
        address = server.sockets[0].getsockname()
        transport, _ = await loop.create_connection(asyncio.Protocol, *address)
        figures = TcpInfo.of(transport)
        transport.close()
    assert figures is not None
    assert figures.min_rtt_s is not None
    assert 0 < figures.min_rtt_s < 1


class Timed(SocketSeat):
    """A seat that keeps when each of its messages arrived, however early."""

    found: ClassVar[list[bool]] = []

    def _hear(self, frame: bytes) -> None:
        self.found.append(self._connection.is_last)
        super()._hear(frame)


PONG = b"\x8a\x80" + bytes(4)


@pytest.mark.parametrize(
    ("before", "after", "is_last"),
    [
        (b"", b"", True),
        (PONG, b"", True),
        (b"", PONG, False),
        (b"", PONG[:3], False),
        (frame(0x81, b'{"type":"unseek"}'), b"", True),
    ],
)
async def test_a_message_is_the_last_of_a_read_that_ends_with_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    before: bytes,
    after: bytes,
    is_last: bool,  # noqa: FBT001  # a parameter
) -> None:
    """Whatever came before it; not if anything follows, be it a part of a frame."""
    monkeypatch.setattr(Timed, "found", [])
    monkeypatch.setattr(listener, "SocketSeat", Timed)
    async with peers.arena(tmp_path) as running:
        ann = await running.greet("ann")
        ann.write(before + frame(0x81, b'{"type":"seek"}') + after)
        await ann.hear(Seeking)
    assert Timed.found[-1] is is_last


class Dated(SocketSeat):
    """A seat that keeps when its messages arrived."""

    found: ClassVar[list[Arrival]] = []

    def _hear(self, frame: bytes) -> None:
        self.found.append(self.arrival(self._loop.time(), is_doubted=True))
        super()._hear(frame)


async def test_over_tls_the_arrival_is_known_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole record was taken from the socket, and no part of another."""
    monkeypatch.setattr(Dated, "found", [])
    monkeypatch.setattr(listener, "SocketSeat", Dated)
    tls = Tls(cert=str(CERTIFICATES / "first.pem"), key=str(CERTIFICATES / "first.key"))
    trust = ssl.create_default_context(cafile=tls.cert)
    async with (
        peers.arena(tmp_path, tls=tls) as running,
        connect(running.url, ssl=trust, compression=None) as socket,
    ):
        ann = peers.Peer(socket)
        await ann.hello("ann")
        await ann.hear(Welcome)
        await ann.say(Seek())
        await ann.hear(Seeking)
    assert Dated.found[-1].earliest == Dated.found[-1].latest
