"""A reverse proxy in front of a server, which names its clients by the PROXY protocol."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from tests.drills.ports import HOST

CLIENT_PORT: Final = 50_000
CHUNK: Final = 65_536


@asynccontextmanager
async def proxied(port: int, client: str) -> AsyncIterator[int]:
    """Forward connections to a port in the name of a client; yield the port to connect to."""
    header = f"PROXY TCP4 {client} {HOST} {CLIENT_PORT} {port}\r\n".encode()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(HOST, port)
        far_writer.write(header)
        await asyncio.gather(pass_on(reader, far_writer), pass_on(far_reader, writer))

    server = await asyncio.start_server(serve, HOST, 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(CHUNK):
            writer.write(chunk)
            await writer.drain()
    writer.close()
