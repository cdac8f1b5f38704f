"""The head of a file says what it holds, and a damaged one is not believed."""

from __future__ import annotations

import random

from mancala.engine.tablebase.baselines import no_weights
from mancala.engine.tablebase.header import VALUES_AT, TableHeader
from tests.engine.tablebase.positions import KALAH


def test_a_header_comes_back_the_same() -> None:
    """Facts, weights and checksums are read as they were written."""
    header = TableHeader.new(KALAH, 31)
    header.weights = no_weights(6) + 7
    header.checksums[3] = 0
    header.checksums[-1] = 0xFFFF_FFFF
    header.complete, header.sample = True, 5
    again = TableHeader.decode(header.encode())
    assert again is not None
    assert again.encode() == header.encode()
    assert again.checksums == header.checksums
    assert again.weights is not None
    assert (again.weights == header.weights).all()


def test_any_flipped_bit_is_noticed(rng: random.Random) -> None:
    """The head has a checksum of its own."""
    content = TableHeader.new(KALAH, 16).encode()
    for _ in range(100):
        damaged = bytearray(content)
        damaged[rng.randrange(VALUES_AT)] ^= 1 << rng.randrange(8)
        assert TableHeader.decode(bytes(damaged)) is None
    assert TableHeader.decode(content[:-1]) is None
