"""When a bot tries again, and how long it waits: plain numbers."""

from __future__ import annotations

import asyncio
import itertools
import random
import ssl
from collections.abc import Callable

import pytest
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

from mancala.bot.client.errors import ConnectionFailedError, RefusedError, ServerLeftError
from mancala.bot.client.reconnect import backoff, is_passing
from mancala.bot.client.requests import list_ladders
from mancala.protocol.messages import ErrorCode
from tests.drills.ports import free_port

SERVER = "wss://arena.example.org/bots"


def response(code: int) -> Response:
    """Build an answer of HTTP."""
    return Response(code, "", Headers())


def status(code: int) -> InvalidStatus:
    """Build the refusal of a handshake."""
    return InvalidStatus(response(code))


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
def named(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Name a proxy in the environment, as a school has it."""
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    return lambda proxy: monkeypatch.setenv("https_proxy", proxy)


async def test_a_proxy_that_is_away_is_named(named: Callable[[str], None]) -> None:
    """The server may be there: 'mancala serve' would not help. The password is left out."""
    place = f"127.0.0.1:{free_port()}"
    named(f"http://ann:secret@{place}")
    with pytest.raises(ConnectionFailedError, match=f"the proxy {place} .*cannot be") as error:
        await list_ladders(SERVER, name="eve")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"HTTP/1.1 407 No\r\n\r\n", "wants a user"),
        (b"HTTP/1.1 403 No\r\n\r\n", "answered HTTP 403"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "is no proxy"),
        (b"HTTP/1.1 200 Good\r\n\r\nno TLS\r\n\r\n", "speaks no TLS"),
    ],
)
async def test_what_a_proxy_answers_is_one_sentence(
    named: Callable[[str], None],
    answer: bytes,
    reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Without the traceback that websockets 17 leaves in the log where TLS fails behind it."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as proxy:
        named(f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}")
        with pytest.raises(ConnectionFailedError, match=reason):
            await list_ladders(SERVER, name="eve")
    assert caplog.records == []


async def test_a_socks_proxy_is_one_sentence(named: Callable[[str], None]) -> None:
    """It ended in a traceback: websockets needs another package for it."""
    named("socks5://127.0.0.1:1")
    with pytest.raises(ConnectionFailedError, match=r"SOCKS proxy.*pip install python-socks"):
        await list_ladders(SERVER, name="eve")
