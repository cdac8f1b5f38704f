"""Entries of the transposition table keep what is packed into them."""

import random

import numpy as np

from mancala.engine.kernels.compiler import kernel
from mancala.engine.kernels.layout import PROOF, UNIT
from mancala.engine.kernels.tt import (
    DEPTH_MASK,
    OWN_MASK,
    STORED_MASK,
    entry_bounds,
    pack_entry,
    pack_proof,
    unpack_entry,
)

Words = tuple[np.uint64, np.uint64]


@kernel
def packed(a: np.uint64, h: np.uint64, data: np.uint64) -> Words:
    """Return an entry; what is inlined into kernels can only be called by compiled code."""
    return pack_entry(a, h, data)


@kernel
def unpacked(first: np.uint64, second: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return what an entry holds."""
    return unpack_entry(first, second)


@kernel
def bounds_of_a_proof(lower: int, upper: int, depth: int) -> tuple[int, int]:
    """Return the bounds that a search of a depth finds in the entry of a proof."""
    return entry_bounds(pack_proof(lower, upper) | (np.uint64(PROOF) & DEPTH_MASK), depth)


def test_an_entry_unpacks_to_what_was_packed(rng: random.Random) -> None:
    """Key and data come back from the two words, whatever their bits."""
    for _ in range(200):
        a = np.uint64(rng.getrandbits(56)) & OWN_MASK
        h, data = np.uint64(rng.getrandbits(56)), np.uint64(rng.getrandbits(32))
        first, second = map(np.uint64, packed(a, h, data))
        assert list(map(int, unpacked(first, second))) == list(map(int, (a, h & STORED_MASK, data)))


def test_a_torn_entry_belongs_to_another_position() -> None:
    """The first word of one entry with the second of another does not show either key."""
    first, _ = packed(np.uint64(5), np.uint64(7), np.uint64(9))
    _, second = packed(np.uint64(5), np.uint64(8), np.uint64(9))
    own, stored, _ = unpacked(np.uint64(first), np.uint64(second))
    assert (int(own), int(stored)) not in {(5, 7), (5, 8)}


def test_a_proof_keeps_both_bounds() -> None:
    """Bounds of whole seeds come back in units at any depth."""
    assert bounds_of_a_proof(-3 * UNIT, 48 * UNIT, 9) == (-3 * UNIT, 48 * UNIT)
