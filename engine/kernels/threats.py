"""Threats: chains of re-turns and captures, as a side has them if it were to move.

`threats` is for a narrow variant, where a word is a row, and looks at all pits together: a pit's
place and hand give where its sowing ends, on a ring of ``2 m + 1`` places. `shared_threats` is for
rows of any length, and counts pit by pit. A side is there two words of eight pits.
"""

import numpy as np

from .compiler import Int, inlined
from .layout import (
    BYTE,
    HIGH_BIT,
    HIGHS,
    LANE_BITS,
    LANE_LOG2,
    LANE_MASK,
    LANES,
    ONES,
    SEVENS,
    TOP_LANE,
    U0,
    U1,
    U2,
    hand_in,
    held_lanes,
)
from .state import Variant

FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
HALF = np.uint64(8)
"""Pits of a row that its first word holds."""
PLACES = np.uint64(0x0706050403020100)
"""The place of each lane."""
TO_STORE = np.uint64(0x0102030405060708)
"""Seeds that reach the store, of a row of eight pits."""
NOWHERE = np.uint64(63)
"""Stands for the end of a sowing that captures nothing."""
LARGEST = np.uint64(127)
DIAGONAL = np.uint64(0x8040201008040201)
COLUMN = np.uint64(0x0102040810204080)
TWO_LANES, FOUR_LANES = np.uint64(16), np.uint64(32)
OTHER_LANES = np.uint64(0x00FF00FF00FF00FF)
OTHER_PAIRS = np.uint64(0x0000FFFF0000FFFF)


@inlined
def lanes_over(row: np.uint64, most: np.uint64) -> np.uint64:
    """Return the highest bit of each lane of more than ``most`` seeds, which are at most 127."""
    return (((row & SEVENS) + (LARGEST - most) * ONES) | row) & HIGHS


@inlined
def lanes_equal(row: np.uint64, other: np.uint64) -> np.uint64:
    """Return the highest bit of each lane that two words have in common."""
    return held_lanes(row ^ other) ^ HIGHS


@inlined
def bits_of(highs: np.uint64) -> np.uint64:
    """Return a bit for each lane whose highest bit is set, that of lane 0 lowest."""
    return ((highs >> HIGH_BIT) * COLUMN) >> TOP_LANE


@inlined
def ones_of(bits: np.uint64) -> np.uint64:
    """Return a one in each lane whose bit is set; undoes `bits_of`."""
    return held_lanes((bits * ONES) & DIAGONAL) >> HIGH_BIT


@inlined
def turned_row(m: np.uint64, row: np.uint64) -> np.uint64:
    """Return a row from its other end: what lies opposite each pit."""
    row = ((row & OTHER_LANES) << LANE_BITS) | ((row >> LANE_BITS) & OTHER_LANES)
    row = ((row & OTHER_PAIRS) << TWO_LANES) | ((row >> TWO_LANES) & OTHER_PAIRS)
    return ((row << FOUR_LANES) | (row >> FOUR_LANES)) >> ((HALF - m) << LANE_LOG2)


@inlined
def best_capture(v: Variant, me: np.uint64, you: np.uint64) -> Int:
    """Return the most seeds of the other row that one sowing captures.

    It ends in an empty pit; after a lap, which put a seed opposite, perhaps in its own.
    """
    m = np.uint64(v.pits)
    lap = U2 * m + U1
    empty = held_lanes(me) ^ HIGHS
    nowhere = ((empty | lanes_over(me, lap)) >> HIGH_BIT) * NOWHERE
    ends = ((me & SEVENS) + PLACES) | nowhere
    reached = U0
    for lane in range(LANES):
        reached |= U1 << (hand_in(ends, lane) & NOWHERE)
    free, row = bits_of(empty), (U1 << m) - U1
    soon = reached & free & row
    later = (reached >> lap) & (free | bits_of(lanes_equal(me, lap * ONES))) & row
    laps = ones_of(later)
    taken = (turned_row(m, you) & ((ones_of(soon) | laps) * BYTE)) + laps
    best = U0
    for lane in range(LANES):
        best = max(best, hand_in(taken, lane))
    return np.int64(best) if v.reach != U0 else np.int64(0)


@inlined
def chain(v: Variant, me: np.uint64, you: np.uint64) -> tuple[Int, np.uint64, np.uint64]:
    """Return the number of re-turns, playing the rightmost first, and the rows after them.

    They are those of the store, of any number of laps, by plain sowing whatever the rules say, as
    in `mancala.engine.evaluation.features`.
    """
    m = np.uint64(v.pits)
    lap = U2 * m + U1
    to_store = TO_STORE >> ((HALF - m) << LANE_LOG2)
    highs = HIGHS & v.row
    length = 0
    while True:
        rest, laps = me, U0
        over = lanes_over(me, lap)
        while over != U0:
            laps += over >> HIGH_BIT
            rest -= (over >> HIGH_BIT) * lap
            over = lanes_over(rest, lap)
        below = lanes_equal(rest, to_store) & highs
        if below == U0:
            return length, me, you
        below |= below >> LANE_BITS
        below |= below >> TWO_LANES
        below |= below >> FOUR_LANES
        sown = ((below ^ (below >> LANE_BITS)) >> HIGH_BIT) * BYTE
        me = (me & ~sown) + ((highs & ~below) >> HIGH_BIT)
        if laps & sown != U0:
            each = (((laps & sown) * ONES) >> TOP_LANE) * (highs >> HIGH_BIT)
            me += each
            you += each
        length += 1


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
