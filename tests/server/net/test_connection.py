"""One websocket, byte by byte: its handshake, frames in any pieces, pings, and how it ends."""

import asyncio
import gc
import tracemalloc
import weakref
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from websockets import CloseCode
from websockets.frames import Close, Frame, Opcode

from mancala.server.config.settings import Config, Limits, LiveConfig
from mancala.server.net import metered as module
from mancala.server.net.connection import NO_PONG, Connection, Pings
from mancala.server.net.grouped_timers import GroupedTimer, GroupedTimers
from mancala.server.net.handshake import LISTS, ConnectionOptions
from mancala.server.net.limits.gate import Gate
from tests.patience import PATIENCE_S
from tests.server.peers import arena

REQUEST = (
    b"GET / HTTP/1.1\r\nHost: arena.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
SWITCHED = b"HTTP/1.1 101 Switching Protocols\r\n"
PINGS = [Frame(Opcode.PING, bytes((0, 0, 0, n))).serialize(mask=False) for n in (1, 2)]
SECOND_CLOSE = Frame(Opcode.CLOSE, Close(CloseCode.NORMAL_CLOSURE, "").serialize())


@pytest.fixture(autouse=True)
def endless_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a connection parse all that it has read, however slow the machine is."""
    monkeypatch.setattr(module, "TURN_S", 100 * PATIENCE_S)


class ByteTransport(asyncio.Transport):
    """Keeps what is written; loses its connection when it is aborted or closed."""

    def __init__(self) -> None:
        super().__init__({"peername": ("192.0.2.7", 4321)})
        self.written = b""
        self.is_ended = False
        self.is_paused = False
        self.protocol: Connection | None = None

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def get_write_buffer_size(self) -> int:
        """Return how much was written: nothing is read."""
        return len(self.written)

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.is_ended = True

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False

    def is_closing(self) -> bool:
        return self.protocol is None

    def abort(self) -> None:
        protocol, self.protocol = self.protocol, None
        if protocol is not None:
            protocol.connection_lost(None)


class RawPeer:
    """The other end of one connection, whose handler listens."""

    def __init__(self, *, limits: Limits | None = None, **options: Any) -> None:  # noqa: ANN401  # of the port
        self.heard: list[bytes] = []
        self.last: list[bool] = []
        self.opened = 0
        self.transport = ByteTransport()
        defaults: dict[str, Any] = {"max_size": 1024, "handshake_s": 100 * PATIENCE_S}
        self.connection = Connection(
            Gate(LiveConfig(Config(limits=limits or Limits()))),
            {},
            self._begin,
            "192.0.2.7",
            options=ConnectionOptions(**(defaults | options)),
        )
        self.transport.protocol = self.connection
        self.connection.connection_made(self.transport)

    def _begin(self, connection: Connection) -> None:
        self.opened += 1
        self.listening = asyncio.ensure_future(connection.listen(self._hear))

    def _hear(self, message: bytes) -> None:
        self.heard.append(message)
        self.last.append(self.connection.is_last)

    def send(self, data: bytes) -> None:
        self.connection.data_received(data)

    def frames(self) -> bytes:
        """Return what was written after the handshake's response."""
        return self.transport.written.partition(b"\r\n\r\n")[2]

    async def open(self) -> None:
        """Shake hands, and wait until the handler listens."""
        self.send(REQUEST)
        await asyncio.sleep(0)
        assert self.transport.written.startswith(SWITCHED)


@pytest.fixture
async def peer() -> RawPeer:
    raw = RawPeer()
    await raw.open()
    return raw


def text(message: bytes) -> bytes:
    return Frame(Opcode.TEXT, message).serialize(mask=True)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10_000])
async def test_messages_are_heard_in_whatever_pieces_they_are_read(size: int) -> None:
    """The handshake and two messages, the second longer, in pieces of one size."""
    peer = RawPeer()
    messages = [b"hello", b"x" * 300]
    data = REQUEST + b"".join(map(text, messages))
    for begin in range(0, len(data), size):
        peer.send(data[begin : begin + size])
    await asyncio.sleep(0)
    assert peer.opened == 1
    assert peer.heard == messages
    assert peer.last[-1]


async def test_an_open_connection_keeps_nothing_of_its_request() -> None:
    """Its headers, which are kilobytes in a browser's, stayed in memory to its end."""
    long = REQUEST.replace(b"\r\n\r\n", b"\r\nCookie: " + b"x" * 4000 + b"\r\n\r\n")
    held = []
    for request in (REQUEST, REQUEST, long):
        tracemalloc.start()
        peers = [RawPeer() for _ in range(10)]
        for peer in peers:
            peer.send(request)
        await asyncio.sleep(0)
        held.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        assert all(peer.opened for peer in peers)
    assert held[2] - held[1] < 10 * 2000


async def test_what_comes_before_the_handler_listens_is_kept() -> None:
    """It is not even parsed: the peer is read on when a listener takes its messages."""
    peer = RawPeer()
    peer.send(REQUEST + text(b"early"))
    assert peer.heard == []
    assert peer.transport.is_paused
    await asyncio.sleep(0)
    assert peer.heard == [b"early"]
    assert not peer.transport.is_paused


async def test_a_message_with_more_behind_it_is_not_the_last(peer: RawPeer) -> None:
    """What is behind it may be a whole frame or the begin of one."""
    peer.send(text(b"one") + text(b"two") + text(b"three")[:3])
    assert peer.heard == [b"one", b"two"]
    assert peer.last == [False, False]


async def test_a_ping_is_answered_and_paid_for_before_the_next_frame() -> None:
    """A peer that can't pay for more is read no further."""
    narrow = replace(Limits(), messages_per_s=0.001, messages_burst=2, address_burst=1000)
    peer = RawPeer(limits=narrow)
    await peer.open()
    ping = Frame(Opcode.PING, b"?").serialize(mask=True)
    peer.send(ping * 100)
    pongs = peer.frames().count(Frame(Opcode.PONG, b"?").serialize(mask=False))
    assert 0 < pongs < 10
    assert peer.transport.is_paused


async def test_a_refused_request_gets_its_response_and_the_end() -> None:
    """No handler ever learns of it."""
    peer = RawPeer(refusal=lambda _request: (HTTPStatus.FORBIDDEN, "not here\n"))
    peer.send(REQUEST)
    assert peer.transport.written.startswith(b"HTTP/1.1 403 ")
    assert peer.transport.written.endswith(b"not here\n")
    assert peer.transport.is_ended
    assert peer.opened == 0


async def test_a_head_that_does_not_end_is_read_no_further() -> None:
    """Nor answered more than once."""
    peer = RawPeer()
    line = b"Cookie: " + b"c" * 4000 + b"\r\n"
    peer.send(REQUEST[:-2] + line * 100)
    peer.send(line)
    assert peer.transport.written.count(b"HTTP/1.1 431 ") == 1
    assert peer.transport.is_ended
    assert peer.transport.is_paused
    assert peer.opened == 0


async def test_a_head_with_the_cookies_of_a_browser_opens() -> None:
    """As large as a browser keeps them for one host."""
    peer = RawPeer()
    peer.send(REQUEST[:-2] + b"Cookie: " + b"c" * 8000 + b"\r\n\r\n")
    assert peer.transport.written.startswith(SWITCHED)


@pytest.mark.parametrize("nothing", [b"", b" , "])
@pytest.mark.parametrize("name", ["Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions"])
async def test_an_empty_list_is_none(name: str, nothing: bytes) -> None:
    """Tcl's client and libsoup send one; they got 400."""
    peer = RawPeer()
    peer.send(REQUEST[:-2] + name.encode() + b": " + nothing + b"\r\n\r\n")
    assert peer.transport.written.startswith(SWITCHED)
    assert name.encode() not in peer.transport.written


@pytest.mark.parametrize("lines", [1, 8])
@pytest.mark.parametrize("name", LISTS)
async def test_a_long_list_is_not_read(name: str, lines: int) -> None:
    """The library's time for many lists of many elements grew with their product."""
    peer = RawPeer()
    line = name.encode() + b": " + b"a," * (300 // lines) + b"a\r\n"
    peer.send(REQUEST[:-2] + line * lines + b"\r\n")
    assert peer.transport.written.startswith(b"HTTP/1.1 431 ")
    assert f"{name} holds more than".encode() in peer.transport.written
    assert peer.opened == 0


@pytest.mark.parametrize(
    "nonsense", [b"\x00\x01\x02\n", b"GET\r\n\r\n", b"POST / HTTP/1.1\r\n\r\n"]
)
async def test_what_is_no_handshake_ends_the_connection(nonsense: bytes) -> None:
    """With a response where HTTP has one."""
    peer = RawPeer()
    peer.send(nonsense)
    assert peer.transport.is_ended
    assert peer.opened == 0


async def test_a_peer_that_is_silent_in_its_handshake_is_cut_off() -> None:
    """After the time that the port allows."""
    peer = RawPeer(handshake_s=0.001)
    async with asyncio.timeout(PATIENCE_S):
        await peer.connection.wait_closed()


async def test_a_lost_connection_leaves_no_garbage(peer: RawPeer) -> None:
    """Else all bots that are there are looked through for it, for longer the more there are."""
    peer.connection.on_flood(peer.connection.abort)
    left = [weakref.ref(each) for each in (peer.connection, peer.connection.protocol)]
    gc.disable()
    try:
        peer.transport.abort()
        await peer.listening
        del peer.connection
        assert [each() for each in left] == [None, None]
    finally:
        gc.enable()


async def test_a_close_is_answered_and_the_stream_ended(peer: RawPeer) -> None:
    """The server ends the TCP connection (RFC 6455, section 7.1.1)."""
    peer.send(SECOND_CLOSE.serialize(mask=True))
    assert peer.frames() == SECOND_CLOSE.serialize(mask=False)
    assert peer.transport.is_ended


async def test_after_its_close_messages_are_heard_until_the_peer_closes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A peer that never does is cut off."""
    monkeypatch.setattr(module, "CLOSE_TIMEOUT_S", 0.001)
    peer = RawPeer()
    await peer.open()
    peer.connection.close(CloseCode.GOING_AWAY, "bye")
    assert not peer.connection.is_open
    peer.send(text(b"late"))
    assert peer.heard == [b"late"]
    async with asyncio.timeout(PATIENCE_S):
        await peer.listening


async def test_an_unreadable_frame_fails_the_connection(peer: RawPeer) -> None:
    """The handler hears no more, though the socket is open still."""
    peer.send(b"\x81\x05hello")  # not masked
    async with asyncio.timeout(PATIENCE_S):
        await peer.listening
    assert peer.connection.protocol.close_sent is not None
    assert peer.connection.protocol.close_sent.code == CloseCode.PROTOCOL_ERROR
    assert peer.transport.is_ended


async def test_a_message_too_large_fails_the_connection_at_its_header(peer: RawPeer) -> None:
    """It is not read to the end."""
    peer.send(text(b"x" * 1025)[:8])
    assert peer.connection.protocol.close_sent is not None
    assert peer.connection.protocol.close_sent.code == CloseCode.MESSAGE_TOO_BIG


async def test_pings_are_sent_and_a_peer_that_answers_none_is_closed() -> None:
    """Two in a row: the first may stay unanswered."""
    peer = RawPeer(ping_s=0.001, keepalive=GroupedTimers(0.001))
    await peer.open()
    async with asyncio.timeout(PATIENCE_S):
        await peer.connection.wait_closed()
    reason = Close(CloseCode.INTERNAL_ERROR, NO_PONG).serialize()
    assert Frame(Opcode.CLOSE, reason).serialize(mask=False) in peer.frames()


@pytest.mark.parametrize("header", ["", "X-Forwarded-For: 192.0.2.9\r\n"])
async def test_a_peer_whose_machine_acknowledges_need_not_answer_pings(
    tmp_path: Path, header: str
) -> None:
    """As with libcurl, whose pongs wait for its next message; behind a proxy they are needed."""
    limits = Limits(ping_s=0.4, keepalive_s=0.4)  # a kernel may wait 0.2 s before it acknowledges
    async with arena(tmp_path, limits=limits) as running, asyncio.timeout(PATIENCE_S):
        port = int(running.url.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(REQUEST.replace(b"\r\n\r\n", f"\r\n{header}\r\n".encode()))
        await reader.readuntil(b"\r\n\r\n")
        found = [(await reader.readexactly(6))[:1] for _ in range(4)]
        writer.close()
    pings, close = [b"\x89"] * 4, b"\x88"
    assert (close in found) if header else (found == pings)


async def test_a_peer_is_pinged_often_only_while_it_plays() -> None:
    """Also one whose last ping is old, when its game begins; one that was sent lately suffices."""
    peer = RawPeer(ping_s=PATIENCE_S, keepalive=GroupedTimers(100 * PATIENCE_S))
    await peer.open()
    assert _next_judged_s(peer) > 90 * PATIENCE_S
    peer.connection.measure_lag(plays=True)
    assert _next_judged_s(peer) <= PATIENCE_S
    peer.connection._pinged_at -= 2 * PATIENCE_S
    peer.connection.measure_lag(plays=False)
    assert PINGS[1] not in peer.frames()
    peer.connection.measure_lag(plays=True)
    assert PINGS[1] in peer.frames()
    assert _next_judged_s(peer) <= PATIENCE_S
    peer.connection.measure_lag(plays=False)
    peer.connection._pings.answered(b"\0\0\0\2", 0.0)
    peer.connection._judge()
    assert _next_judged_s(peer) > 90 * PATIENCE_S


async def test_a_peer_that_did_not_answer_while_idle_is_found_when_its_game_begins() -> None:
    """A bot that died unnoticed keeps its opponent waiting no longer than one at play."""
    peer = RawPeer(ping_s=PATIENCE_S, keepalive=GroupedTimers(100 * PATIENCE_S))
    await peer.open()
    peer.connection._ping()
    peer.connection._pinged_at -= 2 * PATIENCE_S
    peer.connection.measure_lag(plays=True)
    assert not peer.connection.is_open


def _next_judged_s(peer: RawPeer) -> float:
    """Return in how many seconds the connection is judged, and pinged, again."""
    timer = peer.connection._timer
    assert isinstance(timer, asyncio.TimerHandle | GroupedTimer)
    due = timer.due if isinstance(timer, GroupedTimer) else timer.when()
    return due - asyncio.get_running_loop().time()


async def test_a_pong_that_was_kept_while_the_peer_rested_is_read_before_it_is_judged() -> None:
    """A server that was busy, or read nothing for a while, has no right to call a peer dead."""
    peer = RawPeer(ping_s=100 * PATIENCE_S)
    await peer.open()
    peer.connection._ping()
    pong = Frame(Opcode.PONG, b"\0\0\0\2").serialize(mask=True)
    peer.connection._resting = asyncio.get_running_loop().call_soon(peer.connection._resume)
    peer.send(pong)
    peer.connection._judge()
    assert peer.connection.is_open
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    peer.connection._judge()
    assert peer.connection.is_open
    assert not peer.connection._pings.answered(b"\0\0\0\2", 0.0)


async def test_what_a_peer_does_not_read_is_bounded(peer: RawPeer) -> None:
    """Beyond the limit its connection is aborted."""
    peer.connection.outgoing_bytes = 10_000
    peer.connection.send(b"x" * 100)
    peer.connection.flush()
    assert not peer.connection.is_lost
    peer.connection.send(b"x" * 10_000)
    peer.connection.flush()
    assert peer.connection.is_lost


async def test_the_end_of_the_stream_ends_the_connection(peer: RawPeer) -> None:
    """Without a close frame, as when a bot's process dies."""
    peer.connection.eof_received()
    peer.transport.abort()
    async with asyncio.timeout(PATIENCE_S):
        await peer.listening
    assert not peer.connection.is_open


def test_a_pong_gives_the_round_trip_of_its_ping() -> None:
    """Once; a second pong for it answers nothing."""
    pings = Pings()
    payload = pings.new(10.0)
    assert pings.answered(payload, 10.25) == 0.25
    assert pings.answered(payload, 10.5) is None


def test_a_pong_that_no_ping_asked_for_answers_nothing() -> None:
    """It may be a heartbeat of the peer's own."""
    pings = Pings()
    pings.new(10.0)
    assert pings.answered(b"tick", 10.1) is None


def test_a_pong_answers_the_pings_before_it_as_well() -> None:
    """A peer need answer only the newest."""
    pings = Pings()
    older, newer = pings.new(10.0), pings.new(12.0)
    assert pings.answered(newer, 12.5) == 0.5
    assert pings.answered(older, 12.6) is None
    assert not pings.is_overdue


def test_the_first_ping_may_stay_unanswered() -> None:
    """A bot may compile for a while after it has connected."""
    pings = Pings()
    first = pings.new(10.0)
    assert not pings.is_overdue
    second = pings.new(20.0)
    assert pings.is_overdue
    pings.answered(first, 20.1)
    assert pings.is_overdue
    pings.answered(second, 20.2)
    assert not pings.is_overdue
