"""Hostile peers, one function per kind; each returns the effect.

None of them should get anywhere: not through the door, not into another's game, not into the
server's memory. What each returns are figures for the report; whether they are good is for the
drill to say.
"""

import asyncio
import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Final, TypeVar
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from mancala.protocol import codec
from mancala.protocol import messages as wire
from tests.drills.duellists import CLOCK, DuelTally
from tests.drills.mutation import HANDSHAKE, sentences, spoil
from tests.drills.ports import HOST
from tests.patience import PATIENCE_S, connect

FRAMES_A_CONNECTION: Final = 8
AT_ONCE: Final = 16
REFUSED: Final = (OSError, ConnectionClosed, InvalidHandshake, TimeoutError)
TEXT, CONTINUATION, PING = 0x1, 0x0, 0x9
FIN, COMPRESSED = 0x80, 0x40
MASK: Final = b"\x01\x02\x03\x04"
LIKELY: Final = 0.9
DAWDLE_S: Final = 0.05
LISTEN_S: Final = 0.1
MEDDLED_PLIES: Final = 40

M = TypeVar("M", bound=wire.Message)


@dataclass(frozen=True, slots=True)
class AttackTarget:
    """What is attacked."""

    url: str
    tokens: dict[str, str]
    renegades: Sequence[str]
    tally: DuelTally

    async def enter(self, name: str) -> ClientConnection:
        socket = await _connect(self.url)
        await say(socket, wire.Hello(wire.VERSION, name, self.tokens[name]))
        await hear(socket, wire.Welcome)
        return socket


# Nonsense


async def mutated_frames(target: AttackTarget, count: int, rng: Random) -> int:
    """Send spoilt frames, as strangers and as renegades by turns; return how many were in."""
    names = target.renegades
    shares = [count // len(names) + (place < count % len(names)) for place in range(len(names))]
    welcomes = await asyncio.gather(
        *(
            _babble(target, name, names[place ^ 1], share, Random(rng.random()))
            for place, (name, share) in enumerate(zip(names, shares, strict=True))
        )
    )
    return sum(welcomes)


async def _babble(target: AttackTarget, name: str, other: str, count: int, rng: Random) -> int:
    welcomes = 0
    for sent in range(0, count, FRAMES_A_CONNECTION):
        frames = [
            spoil(rng.choice(sentences(target.tally.live or "none", other)), rng)
            for _ in range(min(FRAMES_A_CONNECTION, count - sent))
        ]
        if sent // FRAMES_A_CONNECTION % 2:
            with suppress(*REFUSED):
                socket = await target.enter(name)
                await say(socket, wire.Seek(opponent=other, clock=CLOCK))
                await _shout(socket, frames, rng)
        else:
            with suppress(*REFUSED):
                welcomes += await _shout(await _connect(target.url), frames, rng)
    return welcomes


async def _shout(socket: ClientConnection, frames: Sequence[bytes], rng: Random) -> bool:
    """Send frames and ``goodbye``, read to the end, and return whether a ``welcome`` came."""
    is_welcome = False
    with suppress(ConnectionClosed):
        for frame in frames:
            await socket.send(frame, text=rng.random() < LIKELY)
        await say(socket, wire.Goodbye())
    with suppress(ConnectionClosed):
        while True:
            message = codec.decode_server(await socket.recv(decode=False))
            is_welcome |= isinstance(message, wire.Welcome)
    return is_welcome


async def mutated_handshakes(target: AttackTarget, count: int, rng: Random) -> int:
    """Send spoilt requests to open a websocket, and hang up; return how many were answered."""
    few_at_once = asyncio.Semaphore(AT_ONCE)

    async def knock() -> bool:
        async with few_at_once:
            reader, writer = await _open(target.url)
            try:
                writer.write(spoil(HANDSHAKE, rng))
                async with asyncio.timeout(LISTEN_S):
                    return bool(await reader.read(1024))
            except (OSError, TimeoutError):
                return False
            finally:
                writer.close()

    return sum(await asyncio.gather(*(knock() for _ in range(count))))


async def malformed_frames(target: AttackTarget) -> dict[str, int | None]:
    """Break the websocket protocol below our own; return the codes of the closes, by the way."""
    ways = {
        "huge": _frame(TEXT, b"x" * (1 << 20)),
        "announced_huge": _frame(TEXT, b"x", announced=1 << 62),
        "compressed": _frame(TEXT | COMPRESSED, b"\xaa\x56\x4a\xcb\x48\xcd\xc9\xc9\x07\x00"),
        "endless": _frame(TEXT, b"x" * 1000, last=False)
        + _frame(CONTINUATION, b"x" * 1000, last=False) * 1000,
        "reserved": _frame(0x3, b"?"),
        "long_ping": _frame(PING, b"x" * 126),
        "not_masked": b"\x81\x02{}",
    }
    codes: dict[str, int | None] = {}
    name = target.renegades[0]
    for way, raw in ways.items():
        socket = await target.enter(name)
        with suppress(*REFUSED):
            socket.transport.write(raw)
            async with asyncio.timeout(PATIENCE_S):
                await socket.wait_closed()
        codes[way] = socket.close_code
        socket.transport.abort()
    return codes


# Taking up room and time


async def slow_handshakes(target: AttackTarget, count: int, longest_s: float) -> float | None:
    """Send requests byte by byte, and open websockets without a word.

    Returns:
        After how many seconds the server had closed the last of them; None, if it did not in
        `longest_s`.
    """

    async def dawdle() -> None:
        _, writer = await _open(target.url)
        with suppress(OSError):
            for byte in HANDSHAKE[:-1]:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(DAWDLE_S)
        writer.close()

    async def say_nothing() -> None:
        with suppress(*REFUSED):
            socket = await _connect(target.url)
            await socket.wait_closed()

    loop = asyncio.get_running_loop()
    began_at = loop.time()
    slow = (*(dawdle() for _ in range(count)), *(say_nothing() for _ in range(count)))
    try:
        async with asyncio.timeout(longest_s):
            await asyncio.gather(*slow)
    except TimeoutError:
        return None
    return loop.time() - began_at


async def crowd(target: AttackTarget, count: int, address: str) -> int:
    """Open and keep many connections from one address, then greet; return how many were in."""
    few_at_once = asyncio.Semaphore(AT_ONCE)

    async def stay() -> ClientConnection | None:
        async with few_at_once:
            with suppress(*REFUSED):
                return await _connect(target.url, address)
            return None

    async def is_in(socket: ClientConnection) -> bool:
        with suppress(ConnectionClosed):
            await say(socket, wire.Hello(wire.VERSION, "nobody"))
        with suppress(ConnectionClosed):
            return (await hear(socket, wire.Error)).code is not wire.ErrorCode.LIMIT
        return False

    opened = await asyncio.gather(*(stay() for _ in range(count)))
    sockets = [socket for socket in opened if socket is not None]
    inside = sum(await asyncio.gather(*map(is_in, sockets)))
    for socket in sockets:
        socket.transport.abort()
    return inside


async def chatter(target: AttackTarget, longest_s: float) -> int | None:
    """Ask for a game again and again, and read nothing; return how often, None if not cut off."""
    socket = await target.enter(target.renegades[0])
    socket.transport.pause_reading()
    asked = 0
    try:
        async with asyncio.timeout(longest_s):
            while True:
                await say(socket, wire.Watch(game=target.tally.live))
                await say(socket, wire.Unwatch())
                asked += 1
                await asyncio.sleep(0)  # the polite bots live in this process too
    except ConnectionClosed:
        return asked
    except TimeoutError:
        return None
    finally:
        socket.transport.abort()


async def stare(target: AttackTarget, name: str) -> None:
    """Watch every game that is played, and read nothing, until cancelled or cut off."""
    socket = await target.enter(name)
    socket.transport.pause_reading()
    shown = ""
    try:
        while not socket.transport.is_closing():
            if shown != target.tally.live:
                shown = target.tally.live
                await say(socket, wire.Watch(game=shown))
            await asyncio.sleep(LISTEN_S)
    except ConnectionClosed:
        return
    finally:
        socket.transport.abort()


# Getting in where one doesn't belong


async def meddle(target: AttackTarget) -> list[wire.ErrorCode]:
    """Answer for another's game, unseen and as its spectator; return the errors."""
    async with await target.enter(target.renegades[0]) as socket:
        game = target.tally.live
        await say(socket, wire.Move(game, 0, 0))
        codes = [(await hear(socket, wire.Error)).code]
        game = await _watched(socket, target)
        for ply in range(MEDDLED_PLIES):
            await say(socket, wire.Move(game, ply, ply % 6))
        await say(socket, wire.Resign(game))
        await say(socket, wire.Goodbye())
        with suppress(ConnectionClosed):
            while True:
                codes.append((await hear(socket, wire.Error)).code)
        return codes


async def _watched(socket: ClientConnection, target: AttackTarget) -> str:
    """Watch a game that is played; it may be over before the server reads that."""
    while True:
        await say(socket, wire.Watch(game=target.tally.live))
        answer = codec.decode_server(await socket.recv(decode=False))
        if isinstance(answer, wire.GameStart):
            return answer.game
        await asyncio.sleep(LISTEN_S)


async def false_names(target: AttackTarget, victim: str, count: int, rng: Random) -> int:
    """Try to get in with no token, a wrong one, forged and spent secrets; count successes."""
    name = target.renegades[0]
    first, token = await _connect(target.url), target.tokens[name]
    await say(first, wire.Hello(wire.VERSION, name, token))
    secret = (await hear(first, wire.Welcome)).session
    attempts = [
        wire.Hello(wire.VERSION, victim),
        wire.Hello(wire.VERSION, "nobody"),
        wire.Hello(wire.VERSION, victim, token),
        wire.Hello(wire.VERSION, victim, resume=secret),
        wire.Hello(wire.VERSION, victim, token, resume=secret),
        *(wire.Hello(wire.VERSION, victim, resume=rng.randbytes(24).hex()) for _ in range(count)),
    ]
    succeeded = sum([await _is_welcome(target.url, attempt) for attempt in attempts])
    await say(first, wire.Goodbye())
    await first.wait_closed()
    return succeeded + await _is_welcome(target.url, wire.Hello(wire.VERSION, name, resume=secret))


async def _is_welcome(url: str, hello: wire.Hello) -> bool:
    async with await _connect(url) as socket:
        await say(socket, hello)
        with suppress(ConnectionClosed):
            await hear(socket, wire.Welcome)
            return True
        return False


# Saying and hearing


async def _connect(url: str, address: str = HOST) -> ClientConnection:
    return await connect(url, compression=None, ping_interval=None, local_addr=(address, 0))


async def _open(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(url)
    return await asyncio.open_connection(parts.hostname, parts.port)


async def say(socket: ClientConnection, message: wire.Message) -> None:
    await socket.send(codec.encode(message), text=True)


async def hear(socket: ClientConnection, kind: type[M]) -> M:
    """Return the next message of a kind; drop those before it."""
    while True:
        message = codec.decode_server(await socket.recv(decode=False))
        if isinstance(message, kind):
            return message


def _frame(kind: int, payload: bytes, *, last: bool = True, announced: int | None = None) -> bytes:
    """Write a masked frame; its announced length need not be the true one."""
    length = len(payload) if announced is None else announced
    if length < 126:
        head = struct.pack("!BB", kind | FIN * last, 0x80 | length)
    elif length < 1 << 16:
        head = struct.pack("!BBH", kind | FIN * last, 0x80 | 126, length)
    else:
        head = struct.pack("!BBQ", kind | FIN * last, 0x80 | 127, length)
    masked = bytes(byte ^ MASK[place % 4] for place, byte in enumerate(payload))
    return head + MASK + masked
