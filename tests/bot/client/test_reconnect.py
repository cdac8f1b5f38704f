"""When a bot tries again, and how long it waits: plain numbers."""

import asyncio
import errno
import itertools
import random
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import (
    ConnectionClosedError,
    ConnectionClosedOK,
    InvalidProxyMessage,
    InvalidProxyStatus,
    InvalidStatus,
    InvalidURI,
)
from websockets.frames import Close
from websockets.http11 import Response

from mancala.bot.client.errors import RefusedError, ServerLeftError, reason_of
from mancala.bot.client.reconnect import KEEPALIVE, backoff, dial, is_passing
from mancala.protocol.messages import ErrorCode
from tests.patience import PATIENCE_S


def response(code: int) -> Response:
    return Response(code, "", Headers())


def status(code: int) -> InvalidStatus:
    return InvalidStatus(response(code))


def test_the_addresses_of_a_host_that_refuse_are_one_reason() -> None:
    """It was asyncio's sentence: "Multiple exceptions: [Errno 111] Connect call failed …"."""
    numbers = (errno.ECONNREFUSED, errno.ECONNREFUSED, errno.EHOSTUNREACH)
    each = ", ".join(f"[Errno {number}] Connect call failed" for number in numbers)
    refused = "no server listens there; 'mancala serve' starts one"
    assert reason_of(OSError(f"Multiple exceptions: {each}")) == f"{refused}; no route to host"


def test_waits_double_up_to_a_bound() -> None:
    """Without randomness the waits are powers of two."""
    waits = backoff(lambda: 0.0, first_s=0.25, longest_s=3.0)
    assert list(itertools.islice(waits, 6)) == [0.25, 0.5, 1.0, 2.0, 3.0, 3.0]


def test_waits_are_jittered_by_up_to_a_half() -> None:
    """Bots that lost one server at one moment do not come back together."""
    chances = [random.Random(bot) for bot in range(20)]
    thirds = [next(itertools.islice(backoff(rng.random), 2, None)) for rng in chances]
    assert all(0.5 <= wait <= 1.0 for wait in thirds)
    assert len(set(thirds)) == len(thirds)


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError(),
        TimeoutError(),
        ConnectionClosedError(None, None),
        ConnectionClosedError(Close(1012, "restart"), None),
        ConnectionClosedOK(Close(1000, ""), None),
        status(503),
        status(429),
        InvalidProxyStatus(response(503)),  # the site behind it is restarted
        RefusedError(ErrorCode.SHUTTING_DOWN, "restart"),
    ],
    ids=repr,
)
def test_passing_troubles_are_tried_again(error: Exception) -> None:
    """A network failure or a restart of the server is worth another attempt."""
    assert is_passing(error)


@pytest.mark.parametrize(
    "error",
    [
        ConnectionClosedError(Close(1008, "expelled"), None),
        ConnectionClosedError(Close(1009, "too large"), None),
        status(404),
        status(401),
        InvalidProxyStatus(response(403)),
        InvalidProxyMessage(),
        InvalidURI("http://", "no websocket"),
        ssl.SSLCertVerificationError(),
        RefusedError(ErrorCode.BAD_TOKEN, "no"),
        ServerLeftError("for good"),
        ValueError(),
    ],
    ids=repr,
)
def test_lasting_troubles_are_not_tried_again(error: Exception) -> None:
    """A wrong address, a bad token or our own fault would only happen again."""
    assert not is_passing(error)


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """A port whose connections are full: what comes further is not answered."""
    with ExitStack() as stack:
        port = stack.enter_context(socket.create_server(("127.0.0.2", 0), backlog=0))
        for _ in range(4):
            peer = stack.enter_context(socket.socket())
            peer.setblocking(False)
            with suppress(BlockingIOError):
                peer.connect(port.getsockname())
        yield port


async def test_a_host_whose_first_address_is_silent_is_reached_by_its_second(
    silent: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two machines behind one name: bots never came to the second while the first was off."""
    port = silent.getsockname()[1]
    kinds = socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, ""

    async def both(*_name: object, **_options: object) -> list[object]:
        return [(*kinds, (address, port)) for address in ("127.0.0.2", "127.0.0.3")]

    async with asyncio.timeout(PATIENCE_S), serve(ServerConnection.wait_closed, "127.0.0.3", port):
        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", both)
        async with dial(f"ws://arena.example:{port}") as connection:
            assert connection.remote_address == ("127.0.0.3", port)


async def test_the_kernel_looks_whether_the_host_is_still_there() -> None:
    """A bot without a game noticed after 48 s that its server's machine was cut off.

    Later a network that was away for three seconds cost the connection: one probe had no answer.
    """
    async with serve(ServerConnection.wait_closed, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with dial(f"ws://127.0.0.1:{port}") as connection:
            sock = connection.transport.get_extra_info("socket")
            assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            options = {name: getattr(socket, name) for name in KEEPALIVE if hasattr(socket, name)}
            for name, option in options.items():
                assert sock.getsockopt(socket.IPPROTO_TCP, option) == KEEPALIVE[name]
    probed_s = KEEPALIVE["TCP_KEEPIDLE"] + KEEPALIVE["TCP_KEEPINTVL"] * KEEPALIVE["TCP_KEEPCNT"]
    unacknowledged_s = KEEPALIVE["TCP_USER_TIMEOUT"] / 1000
    assert probed_s <= unacknowledged_s <= 25 - probed_s
