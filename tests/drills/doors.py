"""What a stranger's page and a stranger's digits get at the ports of a server.

A page of a stranger may lead its own name to an address of this server (DNS rebinding), open
websockets in the name of its visitors, and send requests whose bodies are lines of another
protocol. And numbers in digits of other scripts are numbers to Python's ``int``.
"""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NamedTuple
from urllib.parse import quote

from tests.drills.ports import HOST
from tests.patience import PATIENCE_S

STRANGER: Final = "evil.example"
PATHS: Final = ("/", "/api/v1/games", "/healthz")
HEALTH_PATHS: Final = ("/healthz", "/readyz", "/metrics", "/status", "/status.json")
HEADERS: Final = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
DIGITS: Final = ("\u0663", "\uff13", "\u0969")
"""The digit three in Arabic, in wide characters, and in Devanagari."""
NUMBERS: Final = (
    "/api/v1/analysis?board=<{0},0,0,2,2,2,2,2,2>",
    "/api/v1/analysis?board=<3,0,0,2,2,2,2,2,{0}>",
    "/api/v1/analysis?board=<3,0,0,2,2,2,2,2,2>&rules=kalah:pits={0}",
    "/api/v1/explorer?board=<{0},0,0,2,2,2,2,2,2>",
    "/api/v1/games?limit={0}",
    "/api/v1/bots?limit={0}",
    "/api/v1/ladders/main/standings?limit={0}",
    "/api/v1/ladders/main/standings?cursor={0}",
)
"""Requests with a number each."""
ATTACK: Final = (
    "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Type: text/plain\r\n\r\n"
    "1 set info:name page\r\n3 mode freeplay\r\n"
)
MISDIRECTED, FORBIDDEN, SWITCHED, BAD_REQUEST = 421, 403, 101, 400


class ListeningPorts(NamedTuple):
    """The ports of a server."""

    bots: int
    http: int
    health: int
    kgp: int
    kgp_ws: int


async def held(doors: ListeningPorts) -> dict[str, bool]:
    asked = [
        *((doors.http, path) for path in PATHS),
        *((doors.health, path) for path in HEALTH_PATHS),
    ]
    strange = [await status(port, path, host=STRANGER) for port, path in asked]
    own = [await status(port, path) for port, path in asked]
    sockets = (doors.bots, doors.kgp_ws)
    pages = [await status(port, "/", more=_page(STRANGER)) for port in sockets]
    pages.append(await status(doors.bots, "/", host=STRANGER, more=_page(STRANGER)))
    at_home = [await status(port, "/", more=_page(HOST)) for port in sockets]
    numbers = [await status(doors.http, path) for path in _numbers(DIGITS)]
    posted = await _answer(doors.kgp, ATTACK.format(host=HOST), is_whole=True)
    return {
        "a name that a page leads here is refused": {*strange} == {MISDIRECTED},
        "an address of the server is answered": MISDIRECTED not in own,
        "a page of another host opens no websocket": {*pages} == {FORBIDDEN},
        "a page of this host opens one": {*at_home} == {SWITCHED},
        "no request is taken for lines of KGP": b" ok" not in posted,
        "no number is read in digits of other scripts": {*numbers} == {BAD_REQUEST},
        "an analysis needs a board": await status(doors.http, "/api/v1/analysis") == BAD_REQUEST,
    }


def _page(host: str) -> str:
    return f"{HEADERS}Origin: http://{host}\r\n"


def _numbers(digits: Iterable[str]) -> list[str]:
    return [quote(path.format(digit), safe="/?=&,<>:") for digit in digits for path in NUMBERS]


async def status(port: int, path: str, *, host: str = HOST, more: str = "") -> int:
    end = "" if more else "Connection: close\r\n"
    request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}{end}\r\n"
    return int((await _answer(port, request)).split(b" ", 2)[1])


async def fetched(port: int, path: str, more: str = "") -> bytes:
    """Return an answer with its head, perhaps an empty one."""
    request = f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n{more}Connection: close\r\n\r\n"
    return await _answer(port, request, is_whole=True)


async def _answer(port: int, request: str, *, is_whole: bool = False) -> bytes:
    """Return the first line of an answer, or all of it until the connection ends."""
    reader, writer = await asyncio.open_connection(HOST, port)
    writer.write(request.encode())
    async with asyncio.timeout(PATIENCE_S):
        answer = await (reader.read() if is_whole else reader.readline())
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()
    return answer
