"""Words, lanes and positions: how a board lies in memory.

A *word* is an unsigned 64-bit integer of eight 8-bit lanes. A *narrow* side (at most seven pits) is
one word: pit ``i`` in lane ``i`` and, where it is kept at all, the store in lane ``m``:

```
 bit 63    56 55     48 47    40 39    32 31    24 23    16 15     8 7      0
    +--------+---------+--------+--------+--------+--------+--------+--------+
    |   0    |  store  | pit 5  | pit 4  | pit 3  | pit 2  | pit 1  | pit 0  |    m = 6
    +--------+---------+--------+--------+--------+--------+--------+--------+
     lane 7    lane 6    lane 5   lane 4   lane 3   lane 2   lane 1   lane 0
```

A *wide* side is two words of eight pits each, its store a number apart. A *position* is four words,
the mover first: ``mover, other, upper half of mover, upper half of other``.

Every constant in an expression of words is a ``np.uint64``: a sum of signed and unsigned is signed
when compiled and a float in plain Python.
"""

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .compiler import Int, inlined

Word: TypeAlias = np.uint64
Words: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.int64]
Bytes: TypeAlias = NDArray[np.int8]
Octets: TypeAlias = NDArray[np.uint8]
Shorts: TypeAlias = NDArray[np.int16]

LANES: Final = 7
"""Most pits a row that one word holds beside the store."""
POSITION_WORDS: Final = 4
"""Words of a position: mover, other, and the upper halves of both."""

U0 = np.uint64(0)
U1 = np.uint64(1)
U2 = np.uint64(2)
U3 = np.uint64(3)
U4, U5, U6, U7 = np.uint64(4), np.uint64(5), np.uint64(6), np.uint64(7)
LANE_LOG2 = np.uint64(3)
"""``pit << LANE_LOG2`` is the shift of a pit's lane; ``pit >> LANE_LOG2`` the half it is in."""
LANE_MASK = np.uint64(7)
"""``pit & LANE_MASK`` is the lane within the half."""
LANE_BITS = np.uint64(8)
TOP_LANE = np.uint64(56)
"""Shift of the highest lane."""
BYTE = np.uint64(0xFF)
"""Mask of lane 0."""
ONES = np.uint64(0x0101010101010101)
"""One in each lane: the highest lane of ``word * ONES`` is the sum of all lanes."""
SEVENS = np.uint64(0x7F7F7F7F7F7F7F7F)
HIGHS = np.uint64(0x8080808080808080)
HIGH_BIT = np.uint64(7)
"""Shift of a lane's highest bit."""

UNIT: Final = 64
"""One seed, in the units of values inside the search."""
PROOF: Final = 127
"""The depth of a proof: nothing is evaluated."""
INFINITY: Final = 1 << 20
NO_PIT: Final = 15


@inlined
def row_sum(word: np.uint64) -> np.uint64:
    """Return the sum of all lanes of a word, which must be below 256."""
    return (word * ONES) >> TOP_LANE


@inlined
def hand_in(word: np.uint64, pit: Int) -> np.uint64:
    hand: np.uint64 = (word >> (np.uint64(pit) << LANE_LOG2)) & BYTE
    return hand


@inlined
def hand_at(words: Words, at: np.uint64, pit: Int) -> np.uint64:
    """Return the seeds in a pit of the mover; the position begins at ``words[at]``."""
    lane = np.uint64(pit)
    return hand_in(words[at + ((lane >> LANE_LOG2) << U1)], lane & LANE_MASK)


@inlined
def seeds_of(words: Words, at: np.uint64) -> Int:
    total = row_sum(words[at]) + row_sum(words[at + U1])
    return np.int64(total + row_sum(words[at + U2]) + row_sum(words[at + U3]))


@inlined
def held_lanes(word: np.uint64) -> np.uint64:
    """Return the highest bit of each lane that is not zero."""
    return (((word & SEVENS) + SEVENS) | word) & HIGHS


@inlined
def count_pits(word: np.uint64) -> np.uint64:
    """Return the number of lanes that are not zero."""
    return ((held_lanes(word) >> HIGH_BIT) * ONES) >> TOP_LANE


@inlined
def turn(words: Words, at: np.uint64) -> None:
    words[at], words[at + U1] = words[at + U1], words[at]
    words[at + U2], words[at + U3] = words[at + U3], words[at + U2]


def pack(row: tuple[int, ...]) -> np.uint64:
    """Return a row of at most eight pits as a word, pit ``i`` in lane ``i``."""
    return np.uint64(int.from_bytes(bytes(row), "little"))


def position(mine: tuple[int, ...], theirs: tuple[int, ...]) -> Words:
    """Return two rows of up to sixteen pits as a position, u64[4]."""
    rows = (mine[:8], theirs[:8], mine[8:], theirs[8:])
    words = [int.from_bytes(bytes(row), "little") for row in rows]
    return np.array(words, dtype=np.uint64)
