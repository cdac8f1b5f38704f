#!/usr/bin/env bash
# A certificate that is refused behind an HTTP proxy leaves a traceback of its own: websockets 17.4 on asyncio.
#
# Found with: websockets 17.4 (PyPI), asyncio; a proxy that knows CONNECT, a TLS server whose authority is unknown.
# A good guess: `connect()` raises SSLCertVerificationError, as it does without a proxy, and that is all.
# What happens: it is raised, and the event loop also reports "Exception in callback Connection.connection_lost",
# AttributeError: no attribute 'recv_messages'. The TLS of `loop.start_tls` behind the proxy calls `connection_lost` of a
# connection whose `connection_made` was never called. Programs that treat what reaches the loop's handler as a bug of
# theirs (tests, services) fail there; others print a page of traceback above the one line that says what is wrong.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check websockets==17.4
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost 2>/dev/null
cat >see.py <<'PYTHON'
import asyncio
import ssl
from importlib.metadata import version

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve


async def pipe(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
    except OSError:
        pass
    writer.close()


async def proxy(reader, writer):
    """Answer one CONNECT."""
    head = await reader.readuntil(b"\r\n\r\n")
    host, port = head.split()[1].decode().rsplit(":", 1)
    far_reader, far_writer = await asyncio.open_connection(host, int(port))
    writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
    await asyncio.gather(pipe(reader, far_writer), pipe(far_reader, writer))


async def attempt(through):
    """What `connect` raises, and what the event loop reports beside it."""
    reported = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(repr(context.get("exception"))))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain("cert.pem", "key.pem")
    async with await asyncio.start_server(proxy, "localhost", 0) as front:
        async with serve(lambda socket: socket.wait_closed(), "localhost", 0, ssl=tls) as server:
            url = f"wss://localhost:{server.sockets[0].getsockname()[1]}/"
            at = f"http://localhost:{front.sockets[0].getsockname()[1]}" if through else None
            try:
                await connect(url, proxy=at)
            except Exception as error:
                raised = type(error).__name__
            await asyncio.sleep(0.5)
    return raised, [line for line in reported if "recv_messages" in line]


print("websockets", version("websockets"))
print("guess: SSLCertVerificationError both times, and nothing reported")
direct, proxied = asyncio.run(attempt(False)), asyncio.run(attempt(True))
print("without a proxy:", *direct)
print("behind a proxy: ", *proxied)
assert direct == ("SSLCertVerificationError", [])
assert proxied[0] == "SSLCertVerificationError" and proxied[1]
PYTHON
env/bin/python see.py
