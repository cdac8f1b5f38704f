"""Connections of clients of the Kalah Game Protocol, over TCP and over websockets, line by line."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from mancala.protocol.kgp.lines import LINE_LIMIT

LARGEST_FRAME: Final = 8 * LINE_LIMIT


class TcpLink:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def write(self, line: str) -> None:
        self._writer.write(line.encode())

    async def read(self) -> bytes:
        """Return the client's next line; empty at the end."""
        return await self._reader.readline()

    def close(self) -> None:
        self._writer.close()


class WebsocketLink:
    """A connection over a websocket; the server sends one line a frame."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._lines: deque[bytes] = deque()

    async def write(self, line: str) -> None:
        """Send a line; a client that is gone is noticed by the next read."""
        try:
            await self._connection.send(line)
        except ConnectionClosed:
            return

    async def read(self) -> bytes:
        """Return the client's next line; empty at the end."""
        try:
            while not self._lines:
                frame = await self._connection.recv(decode=False)
                self._lines += [line for line in frame.split(b"\n") if line.strip()]
        except ConnectionClosed:
            return b""
        return self._lines.popleft() + b"\n"


KgpLink = TcpLink | WebsocketLink
Come = Callable[[], Awaitable[KgpLink]]
"""Awaits the next client."""


@asynccontextmanager
async def listening(
    host: str, port: int, come_s: float, *, websocket: bool = False
) -> AsyncIterator[tuple[str, Come]]:
    """Listen on a port, 0 for a free one; yield the address, and how to await a client."""
    links: asyncio.Queue[KgpLink] = asyncio.Queue()

    async def come() -> KgpLink:
        try:
            async with asyncio.timeout(come_s):
                return await links.get()
        except TimeoutError:
            raise TimeoutError(f"no client came within {come_s:g} s") from None

    listen = _listening_for_websockets if websocket else _listening_for_tcp
    async with listen(host, port, links) as url:
        yield url, come


@asynccontextmanager
async def _listening_for_tcp(
    host: str, port: int, links: asyncio.Queue[KgpLink]
) -> AsyncIterator[str]:
    opened: list[TcpLink] = []

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append(TcpLink(reader, writer))
        links.put_nowait(opened[-1])

    async with await asyncio.start_server(connected, host, port, limit=2 * LINE_LIMIT) as server:
        yield f"tcp://{host}:{server.sockets[0].getsockname()[1]}"
        for link in opened:
            link.close()


@asynccontextmanager
async def _listening_for_websockets(
    host: str, port: int, links: asyncio.Queue[KgpLink]
) -> AsyncIterator[str]:
    async def connected(connection: ServerConnection) -> None:
        links.put_nowait(WebsocketLink(connection))
        await connection.wait_closed()

    async with serve(
        connected,
        host,
        port,
        compression=None,
        max_size=LARGEST_FRAME,
        ping_interval=None,  # the protocol has a ping of its own
    ) as server:
        yield f"ws://{host}:{server.sockets[0].getsockname()[1]}"
