"""A relay between a bot and a server, which drops its first connection in the middle of a game."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import urlsplit

CHUNK: Final = 65536


class TcpRelay:
    """Passes bytes on, both ways, and counts what the server says."""

    def __init__(self, far: str, *, drop_at_turn: int | None) -> None:
        """Take the server's address, and the turn at which the first connection is dropped."""
        self.url = ""
        self.connections = 0
        self.resumed = 0
        self._far = urlsplit(far)
        self._drop_at_turn = drop_at_turn

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        is_dropped = self.connections == 1 and self._drop_at_turn is not None
        far_reader, far_writer = await asyncio.open_connection(self._far.hostname, self._far.port)
        async with asyncio.TaskGroup() as tasks:
            there = tasks.create_task(_pass_on(reader, far_writer))
            await self._pass_back(far_reader, writer, self._drop_at_turn if is_dropped else None)
            there.cancel()
        for each in (writer, far_writer):
            each.transport.abort()

    async def _pass_back(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, most: int | None
    ) -> None:
        turns = 0
        while data := await _read(reader):
            turns += data.count(b'"type":"turn"')
            self.resumed += data.count(b'"resumed":true')
            if most is not None and turns >= most:
                return
            writer.write(data)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await _read(reader):
        writer.write(data)
    writer.close()


async def _read(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read(CHUNK)
    except ConnectionError:
        return b""


@asynccontextmanager
async def relay(far: str, *, drop_at_turn: int | None = None) -> AsyncIterator[TcpRelay]:
    between = TcpRelay(far, drop_at_turn=drop_at_turn)
    async with await asyncio.start_server(between.serve, "127.0.0.1", 0) as server:
        between.url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield between
