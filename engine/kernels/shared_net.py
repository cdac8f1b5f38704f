"""The net for rows of any length, which boards of all widths but six share.

It sees what the net for six pits sees (:mod:`mancala.engine.kernels.net`): each pit's count and the
threats of both sides. A pit is known by its distance from its owner's store, so that what is
learned on one width serves the others; the rows of its weights are laid out for a width before the
search, with those of the width itself in the bias. Threats are counted by arithmetic on the rows,
not by the sowing table: with many pits that table is too large for the nearest caches. A side is
two words of eight pits; up to eight pits the second is empty and left out.
"""

from __future__ import annotations

import numpy as np

from .compiler import Int, inlined, kernel
from .layout import (
    BYTE,
    LANE_BITS,
    LANE_LOG2,
    LANE_MASK,
    ONES,
    U0,
    U1,
    U2,
    U3,
    U4,
    U5,
    U6,
    U7,
    Shorts,
    Words,
)
from .state import (
    NET_HIDDEN,
    NET_SHIFT,
    SHARED_BIAS,
    SHARED_COUNTS,
    SHARED_LANES,
    SHARED_OUT,
    SHARED_THREAT_ROWS,
    SHARED_THREATS,
    W_NET_ROWS,
    W_TEMPO,
)

FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
HALF = np.uint64(8)
"""Pits of a row that its first word holds."""
MOST_SEEDS = np.uint64(SHARED_COUNTS - 1)
MOST_THREAT = SHARED_THREATS - 1
WIDTH = np.uint64(NET_HIDDEN)
FIRST_ROW = np.uint64(W_NET_ROWS)
FIRST_THREAT = np.uint64(SHARED_THREAT_ROWS)
PIT = np.uint64(SHARED_COUNTS * NET_HIDDEN)
THREAT = np.uint64(SHARED_THREATS * NET_HIDDEN)
MINE, THEIRS = np.uint64(0), np.uint64(SHARED_LANES)
"""Places of the mover's pits, and of the other's."""
BIAS = np.uint64(SHARED_BIAS)
OUT = np.uint64(SHARED_OUT)
TEMPO = np.uint64(W_TEMPO)


@inlined
def count_at(low: np.uint64, high: np.uint64, pit: np.uint64) -> np.uint64:
    """Return the seeds in a pit of a row of two words."""
    return ((high if pit >= HALF else low) >> ((pit & LANE_MASK) << LANE_LOG2)) & BYTE


@inlined
def lanes_above(pit: np.uint64) -> np.uint64:
    """Return a one in each lane of a word above the one given; none above the highest."""
    return (ONES << (pit << LANE_LOG2)) << LANE_BITS


@inlined
def most_captured(
    m: np.uint64, me: np.uint64, me2: np.uint64, you: np.uint64, you2: np.uint64
) -> Int:
    """Return the most seeds of the other row that one sowing of at most a lap captures."""
    best = U0
    lap = U2 * m + U1
    for lane in range(m):
        pit = np.uint64(lane)
        hand = count_at(me, me2, pit)
        goes_round = pit + hand >= lap
        last = pit + hand - lap if goes_round else pit + hand
        lands = last <= pit if goes_round else hand != U0
        if last < m and lands and (last == pit or count_at(me, me2, last) == U0):
            taken = count_at(you, you2, m - U1 - last)
            best = max(best, taken + U1 if goes_round else taken)
    return np.int64(best)


@inlined
def chain_of(m: np.uint64, me: np.uint64, me2: np.uint64) -> tuple[Int, np.uint64, np.uint64]:
    """Return the number of re-turns, the rightmost first, and the row after them.

    Only those that end in the store on the first lap count, so they leave the other row alone.
    """
    row = FULL >> ((HALF - min(m, HALF)) << LANE_LOG2)
    row2 = FULL >> ((HALF + HALF - m) << LANE_LOG2) if m > HALF else U0
    length = 0
    pit = m
    while pit != U0:
        pit -= U1
        hand = m - pit
        if count_at(me, me2, pit) == hand:
            if pit < HALF:
                me = me - (hand << (pit << LANE_LOG2)) + (lanes_above(pit) & row)
                me2 = me2 + (ONES & row2)
            else:
                lane = pit - HALF
                me2 = me2 - (hand << (lane << LANE_LOG2)) + (lanes_above(lane) & row2)
            length += 1
            pit = m
    return length, me, me2


@inlined
def shared_threats(
    m: np.uint64, me: np.uint64, me2: np.uint64, you: np.uint64, you2: np.uint64
) -> tuple[Int, Int, Int]:
    """Return a side's chain, the most it captures now, and the most at the chain's end."""
    length, own, own2 = chain_of(m, me, me2)
    now = most_captured(m, me, me2, you, you2)
    then = most_captured(m, own, own2, you, you2) if length > 0 else now
    return length, now, then


@inlined
def pit_row(place: np.uint64, lane: np.uint64, word: np.uint64) -> np.uint64:
    """Return where the row of a pit's count begins, in the block of the word's first pit."""
    count = min((word >> (lane << LANE_LOG2)) & BYTE, MOST_SEEDS)
    return np.uint64(FIRST_ROW + (place + lane) * PIT + count * WIDTH)


Rows = tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]


@inlined
def pit_rows(place: np.uint64, word: np.uint64) -> Rows:
    """Return where the rows of a word's eight pits begin."""
    return (
        pit_row(place, U0, word),
        pit_row(place, U1, word),
        pit_row(place, U2, word),
        pit_row(place, U3, word),
        pit_row(place, U4, word),
        pit_row(place, U5, word),
        pit_row(place, U6, word),
        pit_row(place, U7, word),
    )


@inlined
def sum_of(w: Shorts, rows: Rows, u: np.uint64) -> Int:
    """Add up what eight rows hold for a hidden unit."""
    low = w[rows[0] + u] + w[rows[1] + u] + w[rows[2] + u] + w[rows[3] + u]
    return low + w[rows[4] + u] + w[rows[5] + u] + w[rows[6] + u] + w[rows[7] + u]


@inlined
def threat_row(place: np.uint64, count: int) -> np.uint64:
    """Return where the row of a threat begins: places 0 to 2 are the mover's."""
    return np.uint64(FIRST_THREAT + place * THREAT + np.uint64(min(count, MOST_THREAT)) * WIDTH)


@inlined
def weighed(w: Shorts, u: np.uint64, total: int) -> np.int32:
    """Return what a hidden unit adds: its sum, if it is positive, times its weight."""
    hidden = np.int32(max(np.int16(total), np.int16(0)))
    return np.int32(hidden * np.int32(w[OUT + u]))


@kernel
def shared_value(m: np.uint64, w: Shorts, words: Words, at: np.uint64) -> Int:
    """Return what the threats of both sides weigh, and what the net adds, in units."""
    me, you, me2, you2 = words[at], words[at + U1], words[at + U2], words[at + U3]
    mine = shared_threats(m, me, me2, you, you2)
    theirs = shared_threats(m, you, you2, me, me2)
    linear = w[TEMPO + U1] * mine[0] + w[TEMPO + U2] * mine[1] + w[TEMPO + U3] * mine[2]
    after = TEMPO + U3
    linear += w[after + U1] * theirs[0] + w[after + U2] * theirs[1] + w[after + U3] * theirs[2]
    c0, c1, c2 = threat_row(U0, mine[0]), threat_row(U1, mine[1]), threat_row(U2, mine[2])
    c3, c4, c5 = threat_row(U3, theirs[0]), threat_row(U4, theirs[1]), threat_row(U5, theirs[2])
    a, b = pit_rows(MINE, me), pit_rows(THEIRS, you)
    value = np.int32(0)
    if m <= HALF:
        for unit in range(NET_HIDDEN):
            u = np.uint64(unit)
            total = sum_of(w, a, u) + sum_of(w, b, u) + w[BIAS + u]
            total += w[c0 + u] + w[c1 + u] + w[c2 + u] + w[c3 + u] + w[c4 + u] + w[c5 + u]
            value = np.int32(value + weighed(w, u, total))
    else:
        a2, b2 = pit_rows(MINE + HALF, me2), pit_rows(THEIRS + HALF, you2)
        for unit in range(NET_HIDDEN):
            u = np.uint64(unit)
            total = sum_of(w, a, u) + sum_of(w, b, u) + w[BIAS + u]
            total += sum_of(w, a2, u) + sum_of(w, b2, u)
            total += w[c0 + u] + w[c1 + u] + w[c2 + u] + w[c3 + u] + w[c4 + u] + w[c5 + u]
            value = np.int32(value + weighed(w, u, total))
    return linear + (np.int64(value) >> NET_SHIFT)
