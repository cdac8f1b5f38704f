"""``python -m tests.drills.flooders PEERS KIND=URL…``: peers that keep ports busy.

They do so as well as they can, and run in a process that gives way to others, so that the server is
slowed by what they make it do and not by the processor time that they take from it. Where the
kernel groups processes by session (``autogroup``), ``nice`` counts only within a session; so they
have a session of their own, and its group gives way as well.
Each peer writes prepared bytes as fast as the server takes them, and connects again when it is cut
off. The process prints one JSON line when it begins, and runs until it is killed.
"""

import asyncio
import os
import struct
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

import typer

from mancala.parent_death import end_with
from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from tests.drills.duellists import duellist_names

CHUNK: Final = 64 * 1024
NICENESS: Final = 19
AUTOGROUP: Final = Path("/proc/self/autogroup")
RETRY_S: Final = 0.01
PING, PONG, TEXT = 0x89, 0x8A, 0x81
CHALLENGED: Final = duellist_names(1)[0]
"""A bot that plays, and declines every challenge."""
TINY_GAMES: Final = wire.Seek("kalah:pits=1,seeds=1", TimeControl(move_ms=1), games=1000)
"""Games that cost the server as much as others, and the flooders no answer."""
MANY_GAMES: Final = wire.Seek(clock=TimeControl(move_ms=10_000), games=1000)
MASK: Final = bytes(4)
HANDSHAKE: Final = (
    b"GET / HTTP/1.1\r\nHost: arena\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)

CLAIMED: Final = "claimed"
"""A name that a client of the Kalah Game Protocol has bound to a token; to guess it is slow."""
Opening = Callable[[], bytes]


@asynccontextmanager
async def flooding(peers: int, targets: Sequence[str]) -> AsyncIterator[None]:
    """Run peers, dealt to targets ``KIND=URL`` in turn, in a process that has begun then."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", __name__, str(peers), *targets),
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        if process.stdout is not None:
            await process.stdout.readline()
        yield
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@dataclass(frozen=True, slots=True)
class Flood:
    """What a peer sends.

    Attributes:
        chunk: what it sends after that, again and again; empty to close and connect again.
        is_playing: whether it plays at as many tables as it may, and answers each turn immediately.
        is_holding: whether it sends nothing more, and reads until it is cut off.
    """

    opening: Opening
    chunk: bytes = b""
    is_answered: bool = True
    is_playing: bool = False
    is_holding: bool = False


def frame(kind: int, payload: bytes) -> bytes:
    """Return a masked websocket frame; its mask is zero, which any server must take."""
    length = len(payload)
    head = bytes((kind, 0x80 | length)) if length < 126 else struct.pack("!BBH", kind, 0xFE, length)
    return head + MASK + payload


def floods() -> Mapping[str, Flood]:
    """Return the kinds of floods by name; the name begins with the port's."""
    names = (f"flooder-{os.getpid()}-{number}" for number in count())
    silent, shaken_hands = _always(b""), _always(HANDSHAKE)
    half_a_handshake, half_a_line = _always(HANDSHAKE[:-2]), _always(b"1 pi")

    def greeted() -> bytes:
        return HANDSHAKE + _said(wire.Hello(wire.VERSION, next(names)))

    def playing() -> bytes:
        return greeted() + _said(MANY_GAMES)

    def watching() -> bytes:
        return greeted() + _said(wire.Watch(ladder="main"))

    def refused() -> bytes:
        return HANDSHAKE + _said(wire.Hello(wire.VERSION, next(names), "wrong"))

    def guessed() -> bytes:
        return HANDSHAKE + _said(wire.Hello(wire.VERSION, CLAIMED, next(names)))

    def guessed_by_line() -> bytes:
        told = (f'set info:name "{CLAIMED}"', f'set auth:token "{next(names)}"', "mode freeplay")
        return "".join(f"{line}\r\n" for line in told).encode()

    looks = _said(wire.Watch(ladder="main")) + _said(wire.Unwatch(ladder="main"))

    def asking() -> bytes:
        return _get("/api/v1", ending=True)

    lines = b"ok\n" * 30_000
    return {
        "ws-pings": Flood(greeted, _filled(frame(PING, b""))),
        "ws-messages": Flood(greeted, _filled(_said(wire.Unwatch()))),
        "ws-snapshots": Flood(greeted, _filled(looks)),
        "ws-challenges": Flood(greeted, _filled(_said(wire.Challenge(CHALLENGED)))),
        "ws-games": Flood(greeted, _filled(_said(TINY_GAMES))),
        "ws-lists": Flood(greeted, _filled(_said(wire.List(wire.Listable.BOTS)))),
        "ws-tables": Flood(playing, is_playing=True),
        "ws-spectators": Flood(watching, is_holding=True),
        "ws-half": Flood(half_a_handshake, is_answered=False, is_holding=True),
        "ws-fragments": Flood(greeted, frame(0x01, b"x") + _filled(frame(0x00, b""))),
        "ws-handshakes": Flood(shaken_hands),
        "ws-logins": Flood(refused),
        "ws-tokens": Flood(guessed, is_holding=True),
        "ws-connections": Flood(silent, is_answered=False),
        "kgp-lines": Flood(silent, _filled(b"ok\n"), is_answered=False),
        "kgp-pings": Flood(silent, _filled(b"1 ping\n"), is_answered=False),
        "kgp-tokens": Flood(guessed_by_line, is_holding=True),
        "kgp-connections": Flood(silent, is_answered=False),
        "kgp-half": Flood(half_a_line, is_answered=False, is_holding=True),
        "kgpws-half": Flood(half_a_handshake, is_answered=False, is_holding=True),
        "kgpws-lines": Flood(shaken_hands, frame(TEXT, lines[:65_000])),
        "kgpws-frames": Flood(shaken_hands, _filled(frame(TEXT, b"ok\n"))),
        "kgpws-pings": Flood(shaken_hands, _filled(frame(PING, b""))),
        "kgpws-handshakes": Flood(shaken_hands),
        "http-half": Flood(half_a_handshake, is_answered=False, is_holding=True),
        "http-pages": Flood(silent, _filled(_get("/page/game.js")), is_answered=False),
        "http-lists": Flood(silent, _filled(_get("/api/v1/games?limit=200")), is_answered=False),
        "http-bots": Flood(silent, _filled(_get("/api/v1/bots")), is_answered=False),
        "http-standings": Flood(
            silent, _filled(_get("/api/v1/ladders/main/standings")), is_answered=False
        ),
        "http-connections": Flood(asking),
    }


def _always(opening: bytes) -> Opening:
    return lambda: opening


def _filled(piece: bytes) -> bytes:
    return piece * (CHUNK // len(piece))


def _get(path: str, *, ending: bool = False) -> bytes:
    end = "Connection: close\r\n" if ending else ""
    return f"GET {path} HTTP/1.1\r\nHost: arena\r\n{end}\r\n".encode()


def _said(message: wire.Message) -> bytes:
    return frame(TEXT, codec.encode(message))


async def flood(url: str, kind: Flood) -> None:
    parts = urlsplit(url)
    while True:
        with suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
            try:
                await _send(reader, writer, kind)
            finally:
                writer.transport.abort()
                await asyncio.sleep(0)
            continue
        await asyncio.sleep(RETRY_S)


async def _send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kind: Flood) -> None:
    writer.write(kind.opening())
    if kind.is_answered:
        await reader.readexactly(1)
    if kind.is_playing:
        await _play(reader, writer)
    if kind.is_holding:
        await _discard(reader)
    listening = asyncio.create_task(_discard(reader), name="discard")
    try:
        for chunk in _repeated(kind.chunk):
            writer.write(chunk)
            await writer.drain()
            await asyncio.sleep(0)
    finally:
        listening.cancel()


def _repeated(chunk: bytes) -> Iterator[bytes]:
    while chunk:
        yield chunk


async def _discard(reader: asyncio.StreamReader) -> None:
    """Read what the server says, so that it cannot tell the peer from a busy one."""
    with suppress(OSError):
        while await reader.read(CHUNK):
            pass


async def _play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Play until the connection is lost, and seek another match whenever one begins."""
    await reader.readuntil(b"\r\n\r\n")
    matches = set[str]()
    while True:
        opcode, payload = await _frame(reader)
        message = codec.decode_server(payload) if opcode == TEXT else None
        if isinstance(message, wire.Turn):
            writer.write(_said(wire.Move(message.game, message.ply, message.legal[0])))
        elif isinstance(message, wire.MatchOver) or (
            isinstance(message, wire.GameStart) and message.match not in matches
        ):
            matches.add(message.match)
            writer.write(_said(MANY_GAMES))
        elif opcode == PING:
            writer.write(frame(PONG, payload))


async def _frame(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    opcode, length = await reader.readexactly(2)
    if length == 126:
        (length,) = struct.unpack("!H", await reader.readexactly(2))
    return opcode, await reader.readexactly(length)


async def run(targets: Sequence[tuple[Flood, str]], peers: int) -> None:
    print("{}", flush=True)  # noqa: T201  # the drill waits for it
    async with asyncio.TaskGroup() as tasks:
        for number in range(max(peers, len(targets))):
            kind, url = targets[number % len(targets)]
            tasks.create_task(flood(url, kind), name=f"flooder {number}")


def give_way() -> None:
    """Lower this process to the lowest priority, within its session and against other sessions."""
    os.nice(NICENESS)
    with suppress(OSError):  # not every kernel groups processes by session
        AUTOGROUP.write_text(str(NICENESS))


def main(
    peers: Annotated[int, typer.Argument(min=1, help="Peers at the ports, of each kind in turn.")],
    targets: Annotated[list[str], typer.Argument(help="Kinds of floods and ports: KIND=URL.")],
) -> None:
    """Flood ports of a server until killed."""
    end_with(os.getppid())
    give_way()
    kinds = floods()
    pairs = (target.split("=", 1) for target in targets)
    asyncio.run(run([(kinds[kind], url) for kind, url in pairs], peers))


if __name__ == "__main__":
    typer.run(main)
