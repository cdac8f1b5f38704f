"""Frames and handshakes that are almost valid: valid ones, corrupted at random.

The functions are pure: results depend only on the random generator passed in.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from mancala.protocol.rules import KALAH

MOST_SPOILS: Final = 4
HANDSHAKE: Final = (
    b"GET / HTTP/1.1\r\n"
    b"Host: 127.0.0.1\r\n"
    b"Upgrade: websocket\r\n"
    b"Connection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    b"Sec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Protocol: mancala.v1\r\n"
    b"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"
    b"\r\n"
)
NONSENSE: Final = (
    *(b"\xff\xfe", b"\x00", b'"', b"\\", b"\\ud800", b"{", b"}", b"[" * 2000, b'{"a":' * 500),
    *(b"1e999", b"-1", b"true", b"null", b"0.0", b"NaN", b"9" * 400, b"18446744073709551616"),
    *(b'"type":', b"hello", b"move", b"watch", b"x" * 20_000, "\N{PILE OF POO}".encode()),
    *(b"\\u0000", b"\\u001b", b"\x7f", b"\xc2\x9b", b"\\u2028", b"\xef\xbf\xbf"),
    *(b"\r\n", b"\r\n\r\n", b": ", b"HTTP/9.9", b"Content-Length: 99999999\r\n"),
)


def sentences(game: str, name: str) -> list[bytes]:
    messages: list[wire.ClientMessage] = [
        wire.Hello(wire.VERSION, name, "a-token", wire.Agent("fuzz", "1"), "a-secret"),
        wire.Seek(KALAH, TimeControl(move_ms=100), opponent=name, games=2),
        wire.Unseek(),
        wire.Join("main"),
        wire.Leave("main"),
        wire.Enter("final"),
        wire.Withdraw("final"),
        wire.Challenge(name, "kalah:pits=4", TimeControl(bank_ms=1000)),
        wire.Accept(game),
        wire.Decline(game, "no"),
        wire.Move(
            game, 0, 3, info=wire.Info(depth=9, value=1.5, pv=(1, 2, 3), comment="so it goes")
        ),
        wire.Move(game, 1, 2, provisional=True),
        wire.Resign(game),
        wire.Watch(game=game),
        wire.Watch(ladder="main"),
        wire.Unwatch(),
        wire.List(wire.Listable.GAMES, after=game),
        wire.Schedule(name),
        wire.OfferReviews(version=1, games=2),
        wire.Review(
            game,
            (wire.Assessment(0, (wire.MoveValue(0, 2.0), wire.MoveValue(5, -1.5, 9)), (0, 3)),),
            "fuzz",
        ),
        wire.Submit("night-1", '{"schema":"mancala.submission.v1"}', more=True),
        wire.Goodbye("done"),
    ]
    return [codec.encode(message) for message in messages]


def spoil(text: bytes, rng: Random) -> bytes:
    for _ in range(rng.randint(1, MOST_SPOILS)):
        text = rng.choice(SPOILS)(text, rng)
    return text


def _flip(text: bytes, rng: Random) -> bytes:
    place = rng.randrange(len(text) + 1)
    return text[:place] + bytes([rng.randrange(256)]) + text[place + 1 :]


def _drop(text: bytes, rng: Random) -> bytes:
    begin, end = _span(text, rng)
    return text[:begin] + text[end:]


def _repeat(text: bytes, rng: Random) -> bytes:
    begin, end = _span(text, rng)
    return text[:end] + text[begin:end] * rng.randint(1, 5) + text[end:]


def _insert(text: bytes, rng: Random) -> bytes:
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(NONSENSE) + text[place:]


def _replace(text: bytes, rng: Random) -> bytes:
    begin, end = _span(text, rng)
    return text[:begin] + rng.choice(NONSENSE) + text[end:]


def _cut(text: bytes, rng: Random) -> bytes:
    return text[: rng.randrange(len(text) + 1)]


def _span(text: bytes, rng: Random) -> tuple[int, int]:
    begin = rng.randrange(len(text) + 1)
    return begin, min(len(text), begin + rng.randint(1, 16))


SPOILS: Final[Sequence[Callable[[bytes, Random], bytes]]] = (
    *(_flip, _drop, _repeat, _insert, _replace, _cut),
)
