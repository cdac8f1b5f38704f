"""The watcher sees by itself what arrives, while the server reads nothing and says nothing."""

import asyncio
import signal
import socket
import sys
from asyncio.subprocess import Process
from collections.abc import Iterator
from contextlib import closing
from math import inf
from time import monotonic

import pytest

from mancala.server.net.arrivals import segment_watch
from mancala.server.net.arrivals.arrival import Stream
from mancala.server.net.arrivals.segment_watch import watching_segments
from mancala.server.net.arrivals.segment_watcher import KernelDiagnosis
from mancala.server.net.arrivals.segments import SegmentLog
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")

Pair = tuple[socket.socket, socket.socket]


class Accepted(asyncio.Transport):
    """A transport of a socket."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__({"socket": sock})


def fail(code: int) -> None:
    pytest.fail(f"the watcher ended with code {code}")


@pytest.fixture
def pair() -> Iterator[Pair]:
    """Two ends of a TCP connection, that of the server first."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.create_connection(listening.getsockname()) as client,
        listening.accept()[0] as accepted,
    ):
        yield accepted, client


def stream_of(sock: socket.socket) -> Stream:
    found = Stream.of(Accepted(sock))
    assert found is not None
    return found


def test_the_kernel_says_how_much_a_connection_has_received(pair: Pair) -> None:
    """And when the last of it came; what is read does not change it."""
    ours, theirs = pair
    stream = stream_of(ours)
    theirs.sendall(b"hello")
    assert ours.recv(3) == b"hel"
    with closing(KernelDiagnosis()) as diagnosis:
        found = {each.cookie: each for each in diagnosis.received(ours.getsockname()[1])}
    assert found[stream.cookie].total == stream.begin + 5
    assert found[stream.cookie].at <= monotonic()


def test_what_lies_unread_when_a_connection_is_taken_over_counts(pair: Pair) -> None:
    """A header that was read before does not."""
    ours, theirs = pair
    theirs.sendall(b"PROXY hello")
    assert ours.recv(6) == b"PROXY "
    while len(ours.recv(16, socket.MSG_PEEK)) < 5:
        pass
    assert stream_of(ours).begin == 6


async def test_an_answer_and_a_ping_in_one_stall_are_told_apart(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop is blocked for both; afterwards each has an instant of its own.

    Signals to all of the server's group, which reloads or drains, don't end the watcher.
    """
    started, start = list[Process](), segment_watch._start

    async def kept(memory: int) -> Process:
        started.append(await start(memory))
        return started[0]

    monkeypatch.setattr(segment_watch, "_start", kept)
    ours, theirs = pair
    stream = stream_of(ours)
    async with watching_segments(fail) as segments:
        segments.watch(ours.getsockname()[1])
        theirs.sendall(b"answer")
        answered = block_until_noted(segments, stream.cookie, 6)
        between = monotonic()
        for number in (signal.SIGHUP, signal.SIGTERM):
            started[0].send_signal(number)
        theirs.sendall(b"ping")
        pinged = block_until_noted(segments, stream.cookie, 10)
        assert ours.recv(100) == b"answerping"
        assert segments.bounds(stream.cookie, 6) == (answered, answered)
    assert answered <= between
    assert pinged >= answered


def block_until_noted(segments: SegmentLog, cookie: int, end: int) -> float:
    """Let the loop run nothing until a byte's arrival is noted; return when it was."""
    until = monotonic() + PATIENCE_S
    while (noted := segments.bounds(cookie, end)[1]) == inf:
        assert monotonic() < until
    return noted


async def test_the_watcher_ends_with_the_block() -> None:
    """Its end is no news then."""
    async with asyncio.timeout(PATIENCE_S), watching_segments(fail):
        pass
