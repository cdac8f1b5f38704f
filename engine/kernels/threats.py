"""Threats: chains of re-turns and captures, as a side has them if it were to move.

`threats` looks sowings up in the table of a narrow variant. `shared_threats` is for rows of any
length and counts by arithmetic: with many pits that table is too large for the nearest caches. A
side is there two words of eight pits.
"""

from __future__ import annotations

import numpy as np

from .compiler import Int, inlined
from .layout import BYTE, LANE_BITS, LANE_LOG2, LANE_MASK, ONES, U0, U1, U2, hand_in
from .sowing import S_AGAIN, S_LAST, S_OTHER, SHIFT_MASK, narrow_row
from .state import Variant

FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
HALF = np.uint64(8)
"""Pits of a row that its first word holds."""


@inlined
def best_capture(v: Variant, me: np.uint64, you: np.uint64) -> Int:
    """Return the most seeds of the other row that one sowing captures; without branches.

    An empty pit needs no test: its sowing ends where it began, in a pit without a seed.
    """
    best = U0
    for lane in range(v.pits):
        pit = np.uint64(lane)
        row = narrow_row(hand_in(me, pit), pit)
        last = v.sowing[row | S_LAST]
        lands = ((me + v.sowing[row]) >> (last & SHIFT_MASK)) & BYTE
        taken = (
            (you + v.sowing[row | S_OTHER]) >> ((v.store - LANE_BITS - last) & SHIFT_MASK)
        ) & BYTE
        best = max(best, taken if (last < v.reach) & (lands == U1) else U0)
    return np.int64(best)


@inlined
def chain(v: Variant, me: np.uint64, you: np.uint64) -> tuple[Int, np.uint64, np.uint64]:
    """Return the number of re-turns, playing the rightmost first, and the rows after them."""
    length = 0
    pit = np.uint64(v.pits)
    while pit != U0:
        pit -= U1
        hand = hand_in(me, pit)
        row = narrow_row(hand, pit)
        if hand != U0 and v.sowing[row | S_AGAIN] != U0:
            me = (me + v.sowing[row]) & v.row
            you = you + v.sowing[row | S_OTHER]
            length += 1
            pit = np.uint64(v.pits)
    return length, me, you


@inlined
def threats(v: Variant, me: np.uint64, you: np.uint64) -> tuple[Int, Int, Int]:
    """Return a side's chain, the most it captures now, and the most at the chain's end."""
    length, own, other = chain(v, me, you)
    now = best_capture(v, me, you)
    then = best_capture(v, own, other) if length > 0 else now
    return length, now, then


@inlined
def count_at(low: np.uint64, high: np.uint64, pit: np.uint64) -> np.uint64:
    """Return the seeds in a pit of a row of two words."""
    return hand_in(high if pit >= HALF else low, pit & LANE_MASK)


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
