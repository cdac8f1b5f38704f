"""Endgame tables inside the kernels: the number of a position, and probing.

A position is worth the seeds that its mover still collects, ``won``, of the ``total`` in play; the
store difference still to come is ``2 won - total``. Four bits hold ``won - floor``, where the floor
is a guess from the two rows that needs no search:

    floor = (mover_part[own row] + waiter_part[other row]) / 4, within 0 .. total - 14

The code 15 stands for a value outside of the floor's fifteen: an *escape*. Its value is computed
from the children, which are in the tables too. Up to 14 seeds the floor is 0 and nothing escapes.

`mancala.engine.tablebase` fits the parts, builds the tables in order of their seeds and keeps the
files.
"""

from typing import Final

import numpy as np

from .compiler import Int, called, inlined, kernel
from .layout import BYTE, LANES, ONES, U0, U1, U2, Numbers, Words, hand_in, row_sum
from .sowing import sow
from .state import RANK_STRIDE, ExactTables, Variant

ESCAPE: Final = 15
"""The code of a value that is computed from the children."""
CODES: Final = 15
"""Values that a code can stand for, from the floor up."""
NIBBLE = np.uint64(15)
STRIDE = np.uint64(RANK_STRIDE)
STARTS_LINE = np.uint64(6)
"""Line of the rank table that counts the rows of fewer seeds."""
ROWS_LINE = np.uint64(7)
"""Line of the rank table that counts the rows of each sum."""
BLOCKS_LINE = np.uint64(8)
"""First line of the rank table that holds where blocks begin."""
FLOOR_BITS = np.uint64(56)
"""Shift of the floor in a key; the index is below."""
INDEX_MASK = np.uint64((1 << 56) - 1)


@inlined
def row_rank(t: ExactTables, row: np.uint64) -> np.uint64:
    """Return the number of a row among those of its sum: ``sum C(p_i + i, i + 1)``.

    The ``p_i`` are its prefix sums. The table of ranks is zero for lanes past the last but one pit,
    so the loop has a fixed length.
    """
    sums = row * ONES
    rank = U0
    for lane in range(LANES - 1):
        rank += t.ranks[np.uint64(lane * RANK_STRIDE) + ((sums >> np.uint64(8 * lane)) & BYTE)]
    return rank


@inlined
def rows_of(t: ExactTables, seeds: np.uint64) -> np.uint64:
    """Return the number of rows of exactly these seeds."""
    count: np.uint64 = t.ranks[ROWS_LINE * STRIDE + seeds]
    return count


@inlined
def first_row(t: ExactTables, seeds: np.uint64) -> np.uint64:
    """Return the number of rows of fewer seeds."""
    count: np.uint64 = t.ranks[STARTS_LINE * STRIDE + seeds]
    return count


@inlined
def first_of(t: ExactTables, own: np.uint64, other: np.uint64) -> np.uint64:
    """Return the index of the first position of two row sums, the mover's first."""
    index: np.uint64 = t.ranks[(BLOCKS_LINE + own) * STRIDE + other]
    return index


@inlined
def floor_of(mover: Int, waiter: Int, total: Int) -> Int:
    """Return the floor from the parts of both rows."""
    return min(max((mover + waiter) >> 2, 0), max(total + 1 - CODES, 0))


@inlined
def key_of(t: ExactTables, x: np.uint64, y: np.uint64) -> np.uint64:
    """Return index and floor of a position of two non-empty rows, own row first, as one word.

    Blocks of equal (own seeds, other seeds) follow one another by their sum; within a block the
    index is the own row's rank times the number of other rows, plus the other row's rank.
    """
    own, other = row_sum(x), row_sum(y)
    high, low = row_rank(t, x), row_rank(t, y)
    index: np.uint64 = first_of(t, own, other) + high * rows_of(t, other) + low
    mover = np.int64(t.mover_part[first_row(t, own) + high])
    waiter = np.int64(t.waiter_part[first_row(t, other) + low])
    return index | (np.uint64(floor_of(mover, waiter, np.int64(own + other))) << FLOOR_BITS)


@inlined
def byte_of(key: np.uint64) -> np.uint64:
    """Return the index of the byte that holds a position's code."""
    return (key & INDEX_MASK) >> U1


@inlined
def code_at(t: ExactTables, index: np.uint64) -> Int:
    return np.int64((np.uint64(t.values[index >> U1]) >> ((index & U1) << U2)) & NIBBLE)


@inlined
def won_at(v: Variant, t: ExactTables, key: np.uint64, me: np.uint64, you: np.uint64) -> Int:
    """Return the seeds that the mover of a position in the tables collects, given its key."""
    code = code_at(t, key & INDEX_MASK)
    if code == ESCAPE:
        return won_by_children(v, t, me, you)
    return np.int64(key >> FLOOR_BITS) + code


@called
def won_by_children(v: Variant, t: ExactTables, me: np.uint64, you: np.uint64) -> Int:
    """Return the seeds that the mover collects, from the children, which are in the tables."""
    if not (me and you):
        return np.int64(row_sum(me))
    total = np.int64(row_sum(me) + row_sum(you))
    best: Int = 0
    for lane in range(v.pits):
        pit = np.uint64(lane)
        hand = hand_in(me, pit)
        if hand == U0:
            continue
        own, other, again = sow(v, me, you, pit, hand)
        gain = np.int64(own >> v.store)
        own &= v.row
        mover, waiter = (own, other) if again != U0 else (other, own)
        if not (own and other):
            won = np.int64(row_sum(mover))
        else:
            key = key_of(t, mover, waiter)
            code = code_at(t, key & INDEX_MASK)
            if code == ESCAPE:
                won = won_by_children(v, t, mover, waiter)
            else:
                won = np.int64(key >> FLOOR_BITS) + code
        best = max(best, gain + won if again != U0 else total - won)
    return best


@kernel
def table_at(v: Variant, t: ExactTables, me: np.uint64, you: np.uint64) -> Int:
    """Return the value-to-go of a position that the tables cover, in seeds."""
    won = won_at(v, t, key_of(t, me, you), me, you)
    return 2 * won - np.int64(row_sum(me) + row_sum(you))


@kernel
def tables_at(v: Variant, t: ExactTables, rows: Words, values: Numbers) -> None:
    """Write the values-to-go of positions (u64[n * 2], own rows first) to ``values`` (i64[n])."""
    for at in range(values.size):
        me, you = rows[2 * at], rows[2 * at + 1]
        won = won_at(v, t, key_of(t, me, you), me, you)
        values[at] = 2 * won - np.int64(row_sum(me) + row_sum(you))
