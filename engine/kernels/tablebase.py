"""Endgame tables inside the kernels: the number of a position, probing, and filling a block.

`engine.tablebase` describes the tables, builds them in order of their seeds and keeps the files.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.kernels.compiler import Int, inlined, kernel
from engine.kernels.layout import BYTE, LANE_LOG2, LANES, ONES, TOP_LANE, U0, Words, row_sum
from engine.kernels.sowing import sow
from engine.kernels.state import RANK_STRIDE, Tables, Variant

FILLED_TOGETHER: Final = 64
"""Own rows that are filled together: a cache line of the other side's block."""
STRIDE = np.uint64(RANK_STRIDE)
ROWS_LINE = np.uint64(7)
"""Line of the rank table that counts the rows of each sum."""
BLOCKS_LINE = np.uint64(8)
"""First line of the rank table that holds where blocks begin."""


@inlined
def index_of(t: Tables, x: np.uint64, y: np.uint64) -> np.uint64:
    """Return the index of a position of two non-empty rows, own row first.

    Blocks of equal (own seeds, other seeds) follow one another by their sum; within a block a row
    has the combinatorial rank ``sum C(p_i + i, i + 1)`` of its prefix sums ``p_i``. The table of
    ranks is zero for lanes past the last but one pit, so the loop has a fixed length.
    """
    own, other = x * ONES, y * ONES
    high = other_rank = U0
    for lane in range(LANES - 1):
        shift, line = np.uint64(8 * lane), np.uint64(lane * RANK_STRIDE)
        high += t.ranks[line + ((own >> shift) & BYTE)]
        other_rank += t.ranks[line + ((other >> shift) & BYTE)]
    block = (BLOCKS_LINE + (own >> TOP_LANE)) * STRIDE + (other >> TOP_LANE)
    index: np.uint64 = (
        t.ranks[block] + high * t.ranks[ROWS_LINE * STRIDE + (other >> TOP_LANE)] + other_rank
    )
    return index


@inlined
def table_value(v: Variant, t: Tables, me: np.uint64, you: np.uint64) -> Int:
    """Return the value-to-go of a position whose children are all in the tables."""
    best: Int = -128
    for lane in range(v.pits):
        pit = np.uint64(lane)
        hand = (me >> (pit << LANE_LOG2)) & BYTE
        if hand == U0:
            continue
        own, other, again = sow(v, me, you, pit, hand)
        value = np.int64(own >> v.store)
        own &= v.row
        if not (own and other):
            value += np.int64(row_sum(own)) - np.int64(row_sum(other))
        elif again != U0:
            value += np.int64(t.values[index_of(t, own, other)])
        else:
            value -= np.int64(t.values[index_of(t, other, own)])
        best = max(best, value)
    return best


@kernel
def table_at(t: Tables, me: np.uint64, you: np.uint64) -> Int:
    """Return the value-to-go of a position that the tables cover, in seeds."""
    return np.int64(t.values[index_of(t, me, you)])


@kernel
def fill_block(v: Variant, t: Tables, own: Words, other: Words, firsts: tuple[int, int]) -> None:
    """Fill the blocks of two row sums, ``own`` and ``other`` to move, from rows in rank order.

    A sowing that gains nothing keeps both sums and moves seeds of one row to the right, which
    lowers the row's rank. So when rows are taken in rank order, and both sides to move together,
    every child comes first. That also holds when the own rows are taken a few at a time, which
    keeps what is written to both blocks in the cache.
    """
    for first in range(0, own.size, FILLED_TOGETHER):
        last = min(first + FILLED_TOGETHER, own.size)
        for j in range(other.size):
            back = firsts[1] + j * own.size
            for i in range(first, last):
                t.values[firsts[0] + i * other.size + j] = table_value(v, t, own[i], other[j])
                t.values[back + i] = table_value(v, t, other[j], own[i])
