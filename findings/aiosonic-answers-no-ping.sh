#!/usr/bin/env bash
# A websocket client that answers no ping: aiosonic 1.3.3; a server with usual settings closes it.
#
# Found with: aiosonic 1.3.3 (PyPI), websockets 17.4 as the server.
# A good guess: a client answers pings by itself, as RFC 6455 (5.5.2) has it and any other does; at worst only while
# the program waits for a message. aiosonic says of itself "ping/pong for connection keep-alive".
# What happens: a ping is read and dropped, also in the midst of `receive_text()`; `start_keepalive=True` makes the
# client ping itself and changes nothing. A server that pings (websockets: every 20 s, waits 20 s) closes the connection
# with 1011, so a bot that is patient is lost after 40 seconds while the same bot in a quick game is not.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check aiosonic==1.3.3 websockets==17.4
cat >client.py <<'PYTHON'
import asyncio
import sys

import aiosonic
from websockets.asyncio.client import connect


async def listen(name, url):
    """Wait for a message."""
    if name == "websockets":
        async with connect(url, ping_interval=None) as socket:
            await socket.recv()
    else:
        keepalive = name.endswith("keepalive")
        async with aiosonic.WebSocketClient() as client:
            async with await client.connect(url, start_keepalive=keepalive) as socket:
                await socket.receive_text()


asyncio.run(listen(*sys.argv[1:]))
PYTHON
cat >see.py <<'PYTHON'
import asyncio
import sys
from importlib.metadata import version

from websockets.asyncio.server import serve

PATIENT = {"ping_interval": 0.5, "ping_timeout": 2, "close_timeout": 1}  # usually 20, 20 and 10
WAIT = 6  # seconds until it speaks


async def closed(name):
    """With what a server that would speak after WAIT seconds closed the connection; None if it did not."""
    seen = asyncio.get_running_loop().create_future()

    async def speaks_late(socket):
        try:
            await asyncio.wait_for(socket.wait_closed(), WAIT)
            said = socket.protocol.close_sent
            seen.set_result((int(said.code), said.reason))
        except TimeoutError:
            seen.set_result(None)

    async with serve(speaks_late, "127.0.0.1", 0, **PATIENT) as server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        client = await asyncio.create_subprocess_exec(
            sys.executable, "client.py", name, url, stderr=asyncio.subprocess.DEVNULL
        )
        try:
            return await asyncio.wait_for(asyncio.shield(seen), 60)
        finally:
            if client.returncode is None:
                client.kill()
            await client.wait()


print("aiosonic", version("aiosonic"), "websockets", version("websockets"))
print("guess: both are still there")
for name in ("websockets", "aiosonic", "aiosonic, with start_keepalive"):
    result = asyncio.run(closed(name))
    print(f"{name}:", "still there" if result is None else f"closed with {result}")
    assert result == (None if name == "websockets" else (1011, "keepalive ping timeout"))
PYTHON
env/bin/python see.py
