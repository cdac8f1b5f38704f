"""Transports for the Kalah Game Protocol's lines: TCP, or a websocket with one line a frame."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable
from typing import Final, Protocol
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.protocol import State

from mancala.protocol.kgp.lines import LINE_LIMIT, LineBuffer

from ..client.errors import ConnectionFailedError, reason_of
from ..client.reconnect import CLOSE_TIMEOUT_S, dial

DEFAULT_PORT: Final = 2671
READ_BYTES: Final = 65536
LARGEST_FRAME: Final = 8 * LINE_LIMIT
OPEN_TIMEOUT_S: Final = 10.0


class Lines(Protocol):
    async def read(self) -> list[str] | None:
        """Return the lines that have arrived; None once the peer has closed."""

    def write(self, lines: Iterable[str]) -> None:
        """Send lines; do nothing if the peer is gone."""

    async def close(self) -> None:
        """Close the connection."""


@contextlib.asynccontextmanager
async def connected(url: str) -> AsyncIterator[Lines]:
    """Connect to ``tcp://host[:port]``, ``ws://…`` or ``wss://…`` for as long as the block runs."""
    try:
        async with asyncio.timeout(OPEN_TIMEOUT_S):
            lines = await _open(url)
    except (OSError, ValueError, WebSocketException) as error:
        raise ConnectionFailedError(f"{url}: {reason_of(error, url)}") from error
    try:
        yield lines
    finally:
        await lines.close()


async def _open(url: str) -> Lines:
    parts = urlsplit(url)
    if parts.scheme in ("ws", "wss"):
        return _WebsocketLines(await dial(url, ping_interval=None, max_size=LARGEST_FRAME))
    if parts.scheme != "tcp" or not parts.hostname:
        raise ValueError("expected an address tcp://host[:port], ws://… or wss://…")
    port = DEFAULT_PORT if parts.port is None else parts.port
    return _TcpLines(*await asyncio.open_connection(parts.hostname, port))


class _TcpLines:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._buffer = LineBuffer()

    async def read(self) -> list[str] | None:
        try:
            data = await self._reader.read(READ_BYTES)
        except ConnectionError:
            return None
        return self._buffer.feed(data) if data else None

    def write(self, lines: Iterable[str]) -> None:
        self._writer.write("".join(lines).encode())

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._writer.wait_closed()


class _WebsocketLines:
    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def read(self) -> list[str] | None:
        try:
            frame = await self._socket.recv()
        except ConnectionClosed:
            return None
        text = frame if isinstance(frame, str) else frame.decode(errors="backslashreplace")
        return [line for line in text.split("\n") if line.strip()]

    def write(self, lines: Iterable[str]) -> None:
        for line in lines:
            if self._socket.state is State.OPEN:
                self._socket.protocol.send_text(line.encode())
                self._socket.send_data()

    async def close(self) -> None:
        await self._socket.close()
