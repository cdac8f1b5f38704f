"""HTTP on the game server's loop: bounded, and no owner of the process."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from server.net.gate import Gate
from server.web import http_server
from server.web.http_server import Ingress, serve_http
from tests.patience import PATIENCE_S

OPEN = Ingress(Gate(connections=256, per_address=256))


async def hello(_scope: Scope, _receive: Receive, send: Send) -> None:
    """Answer anything with one word."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


@pytest.fixture
async def url() -> AsyncIterator[str]:
    """A listener on a free port."""
    async with asyncio.timeout(3 * PATIENCE_S), serve_http(hello, "127.0.0.1", 0, OPEN) as url:
        yield url


async def connect(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a connection and say nothing."""
    return await asyncio.open_connection("127.0.0.1", int(url.rsplit(":", 1)[1]))


async def hear_end(reader: asyncio.StreamReader) -> bytes:
    """Read until the other end hangs up, politely or not."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await reader.read()
    except ConnectionResetError:
        return b""


async def test_signals_stay_with_the_owner_of_the_process() -> None:
    """While the web is open, SIGTERM and SIGINT are handled as before."""
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    async with serve_http(hello, "127.0.0.1", 0, OPEN) as url, httpx.AsyncClient() as http:
        assert (await http.get(url)).text == "hello"
        during = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    assert during == before


async def test_a_port_that_is_taken_is_an_error_and_not_the_end_of_the_process() -> None:
    """The organiser gets the error, and nothing else is torn down."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            async with serve_http(hello, "127.0.0.1", port, OPEN):
                pass


async def test_when_the_block_ends_the_port_is_closed() -> None:
    """The port is free again, and connections are closed."""
    async with serve_http(hello, "127.0.0.1", 0, OPEN) as url:
        reader, writer = await connect(url)
    assert await hear_end(reader) == b""
    writer.close()
    with pytest.raises(ConnectionRefusedError):
        await connect(url)


async def test_a_visitor_who_asks_nothing_is_sent_away(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """A connection that only waits is closed, in its time."""
    monkeypatch.setattr(http_server, "REQUEST_S", 0.05)
    reader, writer = await connect(url)
    assert await hear_end(reader) == b""
    writer.close()


async def test_a_visitor_who_asks_slowly_is_sent_away(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """A header a moment, as slowloris does it, holds no connection for ever."""
    monkeypatch.setattr(http_server, "REQUEST_S", 0.1)
    reader, writer = await connect(url)
    ended = asyncio.create_task(hear_end(reader))
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n")
    number = 0
    while not ended.done():
        number += 1
        writer.write(f"X-{number}: y\r\n".encode())
        await asyncio.wait([ended], timeout=0.01)
    assert await ended == b""
    writer.close()


async def test_a_visitor_who_does_ask_may_stay_and_ask_again(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """Each answer begins the time anew."""
    monkeypatch.setattr(http_server, "REQUEST_S", PATIENCE_S)
    async with httpx.AsyncClient() as http:
        assert [(await http.get(url)).text for _ in range(3)] == ["hello"] * 3


async def test_one_connection_too_many_is_cut_off() -> None:
    """Those who are there already notice nothing."""
    narrow = Ingress(Gate(connections=2, per_address=2))
    async with serve_http(hello, "127.0.0.1", 0, narrow) as url, httpx.AsyncClient() as http:
        assert (await http.get(url)).text == "hello"
        second, second_end = await connect(url)
        third, third_end = await connect(url)
        assert await hear_end(third) == b""
        assert (await http.get(url)).text == "hello"
        second_end.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert b"hello" in await hear_end(second)
    for writer in (second_end, third_end):
        writer.close()


async def test_a_head_that_never_ends_is_refused(url: str) -> None:
    """Past 16 KiB of headers nothing more is read."""
    reader, writer = await connect(url)
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * (64 * 1024))
    answer = await hear_end(reader)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400")
    writer.close()


async def test_a_websocket_is_not_spoken_here(url: str) -> None:
    """An upgrade is answered as the plain request it is."""
    reader, writer = await connect(url)
    writer.write(
        b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    async with asyncio.timeout(PATIENCE_S):
        head = await reader.readuntil(b"\r\n")
    assert head == b"HTTP/1.1 200 OK\r\n"
    writer.close()
