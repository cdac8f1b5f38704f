"""The head of a file says what it holds, and a damaged one is not believed."""

import random
from pathlib import Path

import numpy as np
import pytest

from mancala.engine.tablebase import path_of
from mancala.engine.tablebase.baselines import no_weights
from mancala.engine.tablebase.header import VALUES_AT, TableHeader
from mancala.protocol.rules import Rules
from tests.engine.tablebase.positions import KALAH


@pytest.mark.parametrize(("pits", "seeds"), [(6, 31), (7, 32), (6, 33), (7, 40)])
def test_a_header_comes_back_the_same(pits: int, seeds: int) -> None:
    """Facts, weights and checksums are read as they were written, in both versions."""
    header = TableHeader.new(Rules(pits=pits), seeds)
    header.weights = no_weights(pits)
    header.weights[:, :, :seeds] = np.arange(2 * pits * seeds).reshape(2, pits, seeds) + 7
    header.checksums[3] = 0
    header.checksums[-1] = 0xFFFF_FFFF
    header.complete, header.sample = True, 5
    again = TableHeader.decode(header.encode())
    assert again is not None
    assert again.encode() == header.encode()
    assert again.checksums == header.checksums
    assert again.weights is not None
    assert (again.weights == header.weights).all()
    assert again.describes(header)


def test_a_file_of_up_to_32_seeds_stays_as_it_was() -> None:
    """Tables that were built before larger ones were known are found and read."""
    header = TableHeader.new(KALAH, 32)
    header.weights = no_weights(6) + 7
    header.checksums[0] = 0x0102_0304
    content = header.encode()
    assert content[8] == 2
    assert content[64:832] == b"\x07\x00" * 2 * 6 * 32
    assert content[1024:1028] == b"\x04\x03\x02\x01"
    assert content[2048:2050] == b"\x01\x00"
    assert path_of(KALAH, 32, Path()) == Path("endgame-v2-6-32-opposite.bin")
    assert path_of(KALAH, 33, Path()) == Path("endgame-v3-6-33-opposite.bin")


def test_any_flipped_bit_is_noticed(rng: random.Random) -> None:
    """The head has a checksum of its own."""
    content = TableHeader.new(KALAH, 16).encode()
    for _ in range(100):
        damaged = bytearray(content)
        damaged[rng.randrange(VALUES_AT)] ^= 1 << rng.randrange(8)
        assert TableHeader.decode(bytes(damaged)) is None
    assert TableHeader.decode(content[:-1]) is None
