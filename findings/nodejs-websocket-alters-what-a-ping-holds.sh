#!/usr/bin/env bash
# The answer to a ping holds other bytes than the ping: npm's nodejs-websocket 1.7.2.
#
# Found with: nodejs-websocket 1.7.2 (npm), Node 20; websockets 17.4 (PyPI) as the server, whose pings hold random bytes.
# A good guess: a pong has the application data of its ping (RFC 6455, 5.5.3), which are bytes; so a server that knows
# its pings by what they hold, as Python's websockets does, sees the client answer.
# What happens: the data are turned into a string and back, so bytes that are no UTF-8 come back as EF BF BD. The server
# takes it for a pong that nobody asked for, and closes the connection with 1011 although the client answers each ping
# immediately. Beside a server that pings with text or with nothing all is well.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check websockets==17.4
npm install --silent --no-fund --no-audit nodejs-websocket@1.7.2 >/dev/null
cat >client.cjs <<'JS'
const socket = require("nodejs-websocket").connect(process.argv[2]);
socket.on("error", () => process.exit());
socket.on("close", () => process.exit());
JS
cat >see.py <<'PYTHON'
import asyncio
from importlib.metadata import version

from websockets.asyncio.server import serve
from websockets.frames import Opcode


async def seen(pings, **options):
    """What the server got: pongs, as bytes, to these pings; then with what it closed the connection."""
    done = asyncio.get_running_loop().create_future()

    async def asks(socket):
        pongs, hear = [], socket.protocol.recv_frame

        def recv_frame(frame):
            if frame.opcode is Opcode.PONG:
                pongs.append(bytes(frame.data))
            hear(frame)

        socket.protocol.recv_frame = recv_frame
        for data in pings:
            before = len(pongs)
            await socket.ping(data)
            while len(pongs) == before:
                await asyncio.sleep(0.01)
        ended = None
        if options["ping_interval"]:
            await asyncio.wait_for(socket.wait_closed(), 10)
            ended = int(socket.protocol.close_sent.code), socket.protocol.close_sent.reason
        done.set_result((pongs, ended))

    async with serve(asks, "127.0.0.1", 0, **options) as server:
        port = server.sockets[0].getsockname()[1]
        client = await asyncio.create_subprocess_exec("node", "client.cjs", f"ws://127.0.0.1:{port}/")
        try:
            return await asyncio.wait_for(done, 30)
        finally:
            if client.returncode is None:
                client.kill()
            await client.wait()


print("websockets", version("websockets"))
print("guess: each pong holds what its ping held, and the connection stays")
pings = [b"", b"7", bytes.fromhex("07 c3 28 ff")]
pongs, _ = asyncio.run(seen(pings, ping_interval=None))
for ping, pong in zip(pings, pongs):
    print(f"ping {ping.hex(' ') or '-'}: pong {pong.hex(' ') or '-'}")
assert pongs == [b"", b"7", bytes.fromhex("07 ef bf bd 28 ef bf bd")]
pongs, ended = asyncio.run(seen([], ping_interval=0.3, ping_timeout=1))
print(f"with pings of the server's own, after {len(pongs)} pongs: closed with {ended}")
assert pongs and ended == (1011, "keepalive ping timeout")
PYTHON
node -p '"nodejs-websocket " + require("nodejs-websocket/package.json").version + ", node " + process.version'
env/bin/python see.py
