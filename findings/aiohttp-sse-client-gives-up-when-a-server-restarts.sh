#!/usr/bin/env bash
# Five retries are allowed, and a server that is away for a moment ends the stream for good: aiohttp-sse-client 0.2.1.
#
# Found with: aiohttp-sse-client 0.2.1 (PyPI), aiohttp 3.13.2.
# A good guess: `EventSource(url, max_connect_retry=5)` tries five times whenever it has no connection, since a browser's
# EventSource comes back by itself, and a server that restarts is away for some seconds.
# What happens: the retries count for the first connection alone. When a stream ends, one try is made after twice the
# `reconnection_time`; if the server does not listen by then, the loop raises. A program that is started before its
# server works, and one that has run for weeks dies with the first restart.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check aiohttp-sse-client==0.2.1 aiohttp==3.13.2
cat >see.py <<'PYTHON'
import asyncio
import socket
from datetime import timedelta
from importlib.metadata import version

from aiohttp import ClientConnectionError
from aiohttp_sse_client.client import EventSource

STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\nid: 1\ndata: one\n\n"


async def serve(address):
    """A server of streams of one event, which end."""

    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(STREAM)
        await writer.drain()
        writer.close()

    return await asyncio.start_server(answer, *address)


async def read(address, server, is_away_first):
    """The events read from a server that is away once, for as long as two tries, and what ended the reading."""
    tries, events = [], []
    source = EventSource(
        "http://{}:{}/".format(*address),
        reconnection_time=timedelta(milliseconds=100),
        max_connect_retry=5,
        on_error=lambda: tries.append(1),
    )

    async def come():
        while len(tries) < 2:
            await asyncio.sleep(0.01)
        return await serve(address)

    coming = asyncio.create_task(come()) if is_away_first else None
    try:
        async with source:
            async for event in source:
                events.append(event.data)
                if len(events) == 2:
                    return events, None
                if not is_away_first:  # the server goes, and would be back after the second try
                    server.close()
                    await server.wait_closed()
                    coming = asyncio.create_task(come())
    except ClientConnectionError as error:
        return events, type(error).__name__
    finally:
        if coming is not None:
            (await coming).close()


async def main():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = free.getsockname()
    before = await read(address, None, is_away_first=True)
    print("away before the first connection: events", before[0], "- error:", before[1])
    server = await serve(address)
    later = await read(address, server, is_away_first=False)
    print("away after the first event: events", later[0], "- error:", later[1])
    assert before == (["one", "one"], None)
    assert later[0] == ["one"] and later[1] == "ClientConnectorError"


print("aiohttp-sse-client", version("aiohttp-sse-client"), "aiohttp", version("aiohttp"))
print("guess: both read on, as five retries are allowed")
asyncio.run(asyncio.wait_for(main(), 60))
PYTHON
env/bin/python see.py
