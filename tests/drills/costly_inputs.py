"""Inputs that are cheap to send, and cost a server much where it reads them carelessly.

Each is all that a stranger sends over one connection. Some of them once held up the games or the
page for most of a second or more: lists of an opening request, quotes of ``Forwarded`` and of
cookies, escapes in what can't be read.
"""

from typing import Final, NamedTuple

from websockets.frames import Frame, Opcode

from tests.drills.ports import HOST

BOTS, KGP, KGP_WS, HTTP, HEALTH = "bots", "kgp", "kgp_ws", "http", "health"
FRAME: Final = 16_384
LINE: Final = 8_100
"""A header of the longest line that ``websockets`` reads."""
HEAD: Final = 15_000
"""What fits into the head of a request."""
TIMES: Final = 10
"""How often a line is repeated."""
PING: Final = "99 ping\r\n"
"""Answered once all before it is."""
FRAMES: Final = 20
"""Connections with an unreadable frame, which ends each."""
UPGRADE: Final = (
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)
FORWARDED: Final = (
    "Forwarded: " + 'for="' * 1600,
    'Forwarded: for=198.51.100.7;by=", for=203.0.113.9',
    "X-Forwarded-For: " + "127.0.0.1," * 800,
)
"""Quotes that stay open, of which the second takes in what a proxy adds; and a long way."""
LISTS: Final = ("Connection", "Upgrade", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions")
PROXIED: Final = (
    b"PROXY TCP4 " + b"1" * 4000,
    b"PROXY TCP4 1.2.3.4 1.2.3.4 " + b"9" * 60 + b" 1\r\n",
    b"\r\n\r\n\0\r\nQUIT\n\x21\x11\xff\xff" + b"\0" * 4000,
)
"""Malformed headers of the PROXY protocol."""
UNREADABLE: Final = (
    '"' + "\\u001b" * (FRAME // 6 - 1) + '"',
    "\\" * FRAME,
    "\x1b" * FRAME,
    "[" * FRAME,
    '{"a":' * (FRAME // 5),
    '{"type":"' + "\u202e" * (FRAME // 4),
)
"""Frames that hold no message."""
LINES: Final = (
    '1 set info:name "' + "\\a" * 8000,
    "1 set " + "1" * 16_000 + "x",
    "1 state <" + "1," * 8000 + ">",
    "1 set info:comment" + " " * 16_000 + "<",
    " ".join(("1 set", *("<" + "1," * 120 + "1>",) * 64)),
    "\x1b" * FRAME,
)
"""Lines of the Kalah Game Protocol."""


class CostlyInput(NamedTuple):
    """An input.

    Attributes:
        answer: what the answer must hold; empty if the connection must end.
        times: connections over which it is sent, one after another.
    """

    name: str
    port: str
    sent: bytes
    answer: bytes
    times: int = 1


def inputs() -> list[CostlyInput]:
    return [
        *_websockets(BOTS),
        *_websockets(KGP_WS),
        *_frames(),
        *_lines(),
        *_requests(),
        *_heads(),
    ]


def _websockets(port: str) -> list[CostlyInput]:
    lists = {name: [f"{name}: " + "a," * (LINE // 2 - 20)] * 110 for name in LISTS}
    heads = {f"lists of {name}": lines for name, lines in lists.items()}
    heads["a head of a megabyte"] = ["Cookie: " + "c" * LINE] * 110
    found = [
        CostlyInput(name, port, head(*UPGRADE, *more), b" 431 ") for name, more in heads.items()
    ]
    for number, line in enumerate(FORWARDED):
        found.append(CostlyInput(f"way {number}", port, head(*UPGRADE, line), b" 400 "))
    for number, header in enumerate(PROXIED):
        found.append(CostlyInput(f"PROXY header {number}", port, header + head(*UPGRADE), b""))
    return found


def _frames() -> list[CostlyInput]:
    return [
        CostlyInput(f"frame {number}", BOTS, opening(text), b'"fatal":true', FRAMES)
        for number, text in enumerate(UNREADABLE)
    ]


def _lines() -> list[CostlyInput]:
    return [
        CostlyInput(f"line {number}", KGP, f"{line}\r\n".encode() * TIMES + PING.encode(), b"pong")
        for number, line in enumerate(LINES)
    ]


def _requests() -> list[CostlyInput]:
    cookies = {
        "quotes of a cookie": "Cookie: lang=" + '"' + '\\"' * (HEAD // 2),
        "cookies": "Cookie: " + "a=b;" * (HEAD // 4),
        "languages": "Accept-Language: " + "a;q=1," * (HEAD // 6),
        "codings": "Accept-Encoding: " + "gzip;q=0.," * (HEAD // 10),
        "tags": "If-None-Match: " + 'W/"a",' * (HEAD // 6),
        "expectations": "Connection: " + "a," * (HEAD // 2),
    }
    found = [CostlyInput(name, HTTP, head(line), b" 200 ") for name, line in cookies.items()]
    for number, line in enumerate(FORWARDED):
        found.append(CostlyInput(f"way {number}", HTTP, head(line), b" 400 "))
    query = "/api/v1/games?" + "a=&" * (HEAD // 3)
    found.append(CostlyInput("a long query", HTTP, head(path=query), b" 400 "))
    escapes = "/api/v1/bots/" + "%41" * (HEAD // 3)
    found.append(CostlyInput("a long name", HTTP, head(path=escapes), b" 400 "))
    chunks = head("Transfer-Encoding: chunked", method="POST") + b"1\r\na\r\n" * 60_000
    found.append(CostlyInput("small chunks", HTTP, chunks, b" 405 "))
    return found


def _heads() -> list[CostlyInput]:
    most = 3_900
    lines = {
        "colons": "a:" * (most // 2),
        "short lines": "a:\r\n" * (most // 4) + "a:",
        "letters of a token": "Authorization: Basic " + "é" * (most // 2),
    }
    return [
        CostlyInput(name, HEALTH, head(line, path="/status"), b" 401 ")
        for name, line in lines.items()
    ]


def head(*lines: str, path: str = "/", method: str = "GET") -> bytes:
    last = () if any(line.startswith("Upgrade") for line in lines) else ("Connection: close",)
    return "\r\n".join(
        (f"{method} {path} HTTP/1.1", f"Host: {HOST}", *lines, *last, "", "")
    ).encode()


def opening(*texts: str) -> bytes:
    frames = (Frame(Opcode.TEXT, text.encode()).serialize(mask=True) for text in texts)
    return head(*UPGRADE) + b"".join(frames)
