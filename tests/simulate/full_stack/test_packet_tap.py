"""Frames, read from outside of the websocket library."""

import random

import pytest
from websockets.frames import Frame, Opcode

from tests.simulate.full_stack.packet_tap import Frames

HEAD = b"GET / HTTP/1.1\r\nHost: arena\r\n\r\n"


@pytest.mark.parametrize("is_masked", [False, True], ids=["server's", "client's"])
def test_frames_are_read_however_they_are_cut(*, is_masked: bool) -> None:
    """Of every length form, after the handshake, in pieces of any size."""
    rng = random.Random(3)
    payloads = [rng.randbytes(size) for size in (0, 1, 125, 126, 5000, 70_000)]
    frames = [Frame(Opcode.TEXT, payload).serialize(mask=is_masked) for payload in payloads]
    stream = HEAD + b"".join(frames) + Frame(Opcode.CLOSE, b"").serialize(mask=is_masked)
    reader = Frames()
    found: list[tuple[int, bytes]] = []
    while stream:
        size = rng.choice((1, 3, 1000, 20_000))
        found += reader.feed(stream[:size])
        stream = stream[size:]
    assert found == [*((1, payload) for payload in payloads), (8, b"")]
