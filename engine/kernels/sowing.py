"""Sowing on packed boards, and perft.

Sowing ``hand`` seeds from ``pit`` always adds the same amount to the own word (the emptied pit
included, by wrapping) and the same amount to the other word. Both come from a table, so a sowing is
two additions; only a capture needs more.

**Example.** Kalah(6,4), first move, pit 2 with four seeds. Lanes are written pit 0 first, then the
store; ``-4`` is the two's complement, whose borrow the next lanes absorb::

    own word      [4  4  4  4  4  4 | 0]        other word  [4  4  4  4  4  4]
    row (4, 2):   [0  0 -4  1  1  1 | 1]        + [0  0  0  0  0  0]
    after         [4  4  0  5  5  5 | 1]          [4  4  4  4  4  4]

The third word of the row is the shift of the lane the last seed fell into, 48 = 8 * 6: the store,
so the fourth word is 1: the mover sows again. A last seed in an own pit (``shift < 8 m``) captures
where the pit now holds exactly 1, since it was empty before: the opposite pit ``m - 1 - i`` has the
shift ``8 m - 8 - shift`` in the other word. Its seeds and the one seed go to the store's lane.
"""

import numpy as np

from .compiler import Flag, Int, called, inlined, kernel
from .layout import (
    BYTE,
    LANE_BITS,
    LANE_LOG2,
    LANE_MASK,
    POSITION_WORDS,
    U0,
    U1,
    U2,
    U3,
    Numbers,
    Words,
    count_pits,
    hand_at,
    hand_in,
    row_sum,
    seeds_of,
    turn,
)
from .state import Variant

S_OTHER, S_LAST, S_AGAIN = map(np.uint64, range(1, 4))
"""Words of a row of the narrow sowing table, after the one that is added to the own word."""
WIDE_GAIN, WIDE_LAST, WIDE_AGAIN = map(np.uint64, range(4, 7))
"""Words of a row of the wide sowing table, after the four that are added to the position."""
NARROW_ROW_LOG2 = np.uint64(2)
WIDE_ROW_LOG2 = np.uint64(3)
WIDE_PITS_LOG2 = np.uint64(4)
WIDE_STORE = np.uint64(16)
"""The last pit of a row of the wide sowing table that stands for the store."""
WIDE_LANES = np.uint64(15)
SHIFT_MASK = np.uint64(63)
"""Keeps a shift below the width of a word, where it would be undefined."""
PASSES, AGAIN, OVER = 0, 1, 2
"""What `play` returns: the turn passes, the mover sows again, the game is over."""


@inlined
def narrow_row(hand: np.uint64, pit: np.uint64) -> np.uint64:
    """Return the index of the row of the narrow sowing table for ``hand`` seeds from ``pit``."""
    return ((hand << LANE_LOG2) | pit) << NARROW_ROW_LOG2


@called
def sow_on(
    v: Variant, me: np.uint64, you: np.uint64, last: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Sow on as long as the last seed falls into a pit that held some; return where it falls."""
    while last != v.store:
        shift = last & SHIFT_MASK
        is_own = last < v.store
        hand = ((me if is_own else you) >> shift) & BYTE
        if hand == U1:
            break
        table = v.sowing if is_own else v.laps
        row = narrow_row(hand, shift >> LANE_LOG2)
        me = me + table[row]
        you = you + table[row | S_OTHER]
        last = table[row | S_LAST]
    return me, you, last


@called
def sow_wide_on(
    v: Variant, words: Words, at: np.uint64, last: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Sow on a wide position as `sow_on` does; return the seeds gained and the last pit."""
    gain = U0
    while last != WIDE_STORE:
        is_own = last < WIDE_STORE
        lane = last & WIDE_LANES
        hand = hand_at(words, at if is_own else at + U1, lane)
        if hand == U1:
            break
        table = v.sowing if is_own else v.laps
        row = ((hand << WIDE_PITS_LOG2) | lane) << WIDE_ROW_LOG2
        for word in range(POSITION_WORDS):
            i = np.uint64(word)
            words[at + i] += table[row + i]
        gain += table[row | WIDE_GAIN]
        last = table[row | WIDE_LAST]
    return gain, last


@inlined
def sow(
    v: Variant, me: np.uint64, you: np.uint64, pit: np.uint64, hand: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return own word, other word, and 1 when the mover sows again; what is left is not swept."""
    row = narrow_row(hand, pit)
    me = me + v.sowing[row]
    you = you + v.sowing[row | S_OTHER]
    last = v.sowing[row | S_LAST]
    again = v.sowing[row | S_AGAIN]
    if v.relay:
        me, you, last = sow_on(v, me, you, last)
        again = U1 if last == v.store or (v.relap and last == pit << LANE_LOG2) else U0
    if last < v.reach and (me >> last) & BYTE == U1:
        opposite = v.store - LANE_BITS - last
        taken = (you >> opposite) & BYTE
        if taken != U0 or v.lone:
            me = me - (U1 << last) + ((taken + U1) << v.store)
            you = you - (taken << opposite)
    if v.even and last > v.store:
        there = last & SHIFT_MASK
        taken = (you >> there) & BYTE
        if taken & U1 == U0:
            me = me + (taken << v.store)
            you = you - (taken << there)
    return me, you, again


@inlined
def sow_wide(v: Variant, words: Words, at: np.uint64, pit: Int) -> tuple[Int, Int]:
    """Sow on a wide position in place; return the seeds gained, and 1 when the mover sows again."""
    row = ((hand_at(words, at, pit) << WIDE_PITS_LOG2) | np.uint64(pit)) << WIDE_ROW_LOG2
    for word in range(POSITION_WORDS):
        i = np.uint64(word)
        words[at + i] += v.sowing[row + i]
    gain = v.sowing[row | WIDE_GAIN]
    last = v.sowing[row | WIDE_LAST]
    again = v.sowing[row | WIDE_AGAIN]
    if v.relay:
        more, last = sow_wide_on(v, words, at, last)
        gain += more
        again = U1 if last == WIDE_STORE or (v.relap and last == np.uint64(pit)) else U0
    if last < v.reach and hand_at(words, at, last) == U1:
        opposite = np.uint64(v.pits - 1) - last
        taken = hand_at(words, at + U1, opposite)
        if taken != U0 or v.lone:
            gain += taken + U1
            words[at + ((last >> LANE_LOG2) << U1)] -= U1 << ((last & LANE_MASK) << LANE_LOG2)
            words[at + U1 + ((opposite >> LANE_LOG2) << U1)] -= taken << (
                (opposite & LANE_MASK) << LANE_LOG2
            )
    if v.even and last > WIDE_STORE:
        lane = last & WIDE_LANES
        taken = hand_at(words, at + U1, lane)
        if taken & U1 == U0:
            gain += taken
            words[at + U1 + ((lane >> LANE_LOG2) << U1)] -= taken << (
                (lane & LANE_MASK) << LANE_LOG2
            )
    return np.int64(gain), np.int64(again)


@inlined
def left_over(v: Variant, own: np.uint64, other: np.uint64) -> Int:
    """Return what the mover gains over the other by the seeds left, by the sums of the rows."""
    lead = np.int64(own) - np.int64(other)
    return -lead if v.empty_takes else lead


@inlined
def is_over(v: Variant, me: np.uint64, you: np.uint64, half: np.uint64) -> Flag:
    """Return whether a narrow board is finished; stores in lane ``m``, ``half`` of all seeds."""
    if me & v.row == U0 or you & v.row == U0:
        return True
    return v.majority and ((me >> v.store) & BYTE > half or (you >> v.store) & BYTE > half)


@kernel
def play(v: Variant, board: Words, stores: Numbers, pit: int) -> Int:
    """Sow on a position (u64[4]) and its stores (i64[2]), in place; the mover's side is first.

    A finished game is swept. The sides are not swapped when the turn passes: PASSES, AGAIN or OVER.
    """
    total = seeds_of(board, U0) + stores[0] + stores[1]
    if v.wide:
        gain, again = sow_wide(v, board, U0, pit)
    else:
        me, you, more = sow(v, board[0], board[1], np.uint64(pit), hand_at(board, U0, pit))
        board[0], board[1] = me & v.row, you
        gain, again = np.int64(me >> v.store), np.int64(more)
    stores[0] += gain
    mine = np.int64(row_sum(board[0]) + row_sum(board[2]))
    theirs = np.int64(row_sum(board[1]) + row_sum(board[3]))
    if mine == 0 or theirs == 0:
        for i in range(POSITION_WORDS):
            board[i] = U0
        stores[0] += theirs if v.empty_takes else mine
        stores[1] += mine if v.empty_takes else theirs
        return OVER
    return OVER if v.majority and 2 * max(stores[0], stores[1]) > total else again


@inlined
def leaves_at_one(v: Variant, me: np.uint64, you: np.uint64, half: np.uint64) -> np.uint64:
    """Return the number of leaves one ply below a narrow board."""
    return U1 if is_over(v, me, you, half) else count_pits(me & v.row)


@kernel
def perft(v: Variant, me: np.uint64, you: np.uint64, half: np.uint64, depth: int) -> Int:
    """Return the number of leaves of a narrow board at ``depth``, every sowing one ply.

    The stores are in lane ``m``; ``half`` of all seeds; a finished game is one leaf. The last two
    plies are counted in one loop: a call costs more than a sowing.
    """
    if depth < 2:
        return np.int64(leaves_at_one(v, me, you, half)) if depth == 1 else 1
    if is_over(v, me, you, half):
        return 1
    leaves: Int = 0
    for lane in range(v.pits):
        pit = np.uint64(lane)
        hand = hand_in(me, pit)
        if hand == U0:
            continue
        own, other, again = sow(v, me, you, pit, hand)
        mover, waiting = (own, other) if again != U0 else (other, own)
        if depth == 2:
            leaves += np.int64(leaves_at_one(v, mover, waiting, half))
        else:
            leaves += perft(v, mover, waiting, half, depth - 1)
    return leaves


@kernel
def perft_wide(v: Variant, boards: Words, stores: Numbers, ply: int, depth: int) -> Int:
    """Return the number of leaves of a wide board at ``depth``.

    The board stands at ``ply`` of ``boards`` (u64[4 * plies]) and ``stores`` (i64[2 * plies], the
    mover's first); what follows is room for its descendants.
    """
    at, child = np.uint64(ply * POSITION_WORDS), np.uint64((ply + 1) * POSITION_WORDS)
    mine, theirs = stores[2 * ply], stores[2 * ply + 1]
    total = seeds_of(boards, at) + mine + theirs
    finished = boards[at] | boards[at + U2] == U0 or boards[at + U1] | boards[at + U3] == U0
    if depth == 0 or finished or (v.majority and 2 * max(mine, theirs) > total):
        return 1
    leaves = 0
    for pit in range(v.pits):
        if hand_at(boards, at, pit) == U0:
            continue
        for word in range(POSITION_WORDS):
            boards[child + np.uint64(word)] = boards[at + np.uint64(word)]
        gain, again = sow_wide(v, boards, child, pit)
        stores[2 * ply + 2], stores[2 * ply + 3] = mine + gain, theirs
        if again == 0:
            turn(boards, child)
            stores[2 * ply + 2], stores[2 * ply + 3] = theirs, mine + gain
        leaves += perft_wide(v, boards, stores, ply + 1, depth - 1)
    return leaves
