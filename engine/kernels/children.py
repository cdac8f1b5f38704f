"""The children of a node: sown all together, prefetched, and bounded without a search.

A node sows all its children first and requests their entries in both tables, so that the cache
misses overlap. Only then is each child's value bounded.
"""

import numpy as np

from .compiler import Flag, Int, inlined, prefetch
from .frames import (
    C_AGAIN_COST,
    C_QUIESCENCE,
    C_TOTAL_SEEDS,
    CHILD_FINAL,
    CHILD_IN_TABLEBASE,
    CHILD_IN_TT,
    CHILD_LEAF,
    F_AGAIN,
    F_CHILD_PIT,
    F_DEPTH,
    F_GAIN,
    F_KEY,
    F_SEEDS,
    F_STORE,
    POSITION_W,
)
from .layout import (
    POSITION_WORDS,
    PROOF,
    U0,
    U1,
    U2,
    U3,
    UNIT,
    Words,
    hand_at,
    hand_in,
    row_sum,
    turn,
)
from .sowing import left_over, sow, sow_wide
from .state import Search, Variant
from .tablebase import byte_of, key_of, won_at
from .tt import bucket_of, entry_bounds, mixed_key, own_key, tt_probe


@inlined
def copy_position(s: Search, source: np.uint64, to: np.uint64) -> None:
    """Copy the words of a position to those of another."""
    words = s.stack.words
    words[to] = words[source]
    words[to + U1] = words[source + U1]
    if s.variant.wide:
        words[to + U2] = words[source + U2]
        words[to + U3] = words[source + U3]


@inlined
def narrow_child(
    v: Variant, words: Words, w: np.uint64, child: np.uint64, pit: np.uint64
) -> tuple[Int, Int, Flag]:
    """Sow a child of a narrow frame; return gain, 1 when it sows again, and whether it is over."""
    hand = hand_in(words[w], pit)
    own, other, again = sow(v, words[w], words[w + U1], pit, hand)
    gain = np.int64(own >> v.store)
    own &= v.row
    words[child] = own if again != U0 else other
    words[child + U1] = other if again != U0 else own
    over = not (own and other)
    if over:
        gain += left_over(v, row_sum(own), row_sum(other))
    return gain, np.int64(again), over


@inlined
def wide_child(
    v: Variant, words: Words, w: np.uint64, child: np.uint64, pit: np.uint64
) -> tuple[Int, Int, Flag]:
    """Sow a child of a wide frame; return as `narrow_child` does."""
    for word in range(POSITION_WORDS):
        words[child + np.uint64(word)] = words[w + np.uint64(word)]
    gain, again = sow_wide(v, words, child, np.int64(pit))
    own = row_sum(words[child]) + row_sum(words[child + U2])
    other = row_sum(words[child + U1]) + row_sum(words[child + U3])
    over = not (own and other)
    if over:
        gain += left_over(v, own, other)
    if again == 0:
        turn(words, child)
    return gain, again, over


@inlined
def children_are_leaves(s: Search, f: np.uint64) -> Flag:
    """Return whether the evaluation alone values the children of a frame."""
    control = s.stack.control
    return s.stack.ints[f + F_DEPTH] == control[C_AGAIN_COST] and control[C_QUIESCENCE] == 0


@inlined
def generate(s: Search, w: np.uint64, f: np.uint64) -> np.uint64:
    """Sow every pit of a frame, right to left, and prefetch their entries; return the number."""
    v, words, ints, t = s.variant, s.stack.words, s.stack.ints, s.tables
    seeds, store, total = ints[f + F_SEEDS], ints[f + F_STORE], s.stack.control[C_TOTAL_SEEDS]
    child, at, leaves = f, w, children_are_leaves(s, f)
    pit = np.uint64(v.pits)
    while pit != U0:
        pit -= U1
        if hand_at(words, w, pit) == U0:
            continue
        at += POSITION_W
        if v.wide:
            gain, again, over = wide_child(v, words, w, at, pit)
        else:
            gain, again, over = narrow_child(v, words, w, at, pit)
        ints[child + F_AGAIN] = again
        ints[child + F_CHILD_PIT] = np.int64(pit)
        kind = CHILD_IN_TT
        if over or (v.majority and 2 * (store + gain) > total):
            kind = CHILD_FINAL
        elif seeds - gain <= t.seeds:
            kind = CHILD_IN_TABLEBASE
            key = key_of(t, words[at], words[at + U1])
            prefetch(t.values, byte_of(key))
            ints[child + F_KEY] = np.int64(key)
        elif leaves:
            kind = CHILD_LEAF
        else:
            mover = store + gain if again != 0 else total - store - seeds
            h = mixed_key(v, words, at, own_key(v, words, at, mover))
            prefetch(s.entries, bucket_of(h, s.bits))
            ints[child + F_KEY] = np.int64(h)
        ints[child + F_GAIN] = gain * 4 + kind
        child += U1
    return child - f


@inlined
def child_depth(s: Search, f: np.uint64, again: int, proving: Flag) -> Int:
    """Return the depth that a child is searched to."""
    if proving:
        return PROOF
    return s.stack.ints[f + F_DEPTH] - (s.stack.control[C_AGAIN_COST] if again != 0 else 1)


@inlined
def child_bounds(
    s: Search, w: np.uint64, f: np.uint64, child: np.uint64, proving: Flag
) -> tuple[Int, Int]:
    """Return bounds of a move's value without searching, for the frame's mover, in units."""
    ints = s.stack.ints
    gain = (ints[f + child + F_GAIN] >> 2) * UNIT
    kind = ints[f + child + F_GAIN] & 3
    again = ints[f + child + F_AGAIN]
    if kind == CHILD_FINAL:
        return gain, gain
    key = np.uint64(ints[f + child + F_KEY])
    if kind == CHILD_IN_TABLEBASE:
        at = w + POSITION_W * (child + U1)
        won = won_at(s.variant, s.tables, key, s.stack.words[at], s.stack.words[at + U1])
        value = UNIT * (2 * won - ints[f + F_SEEDS]) + gain
        value = gain + value if again != 0 else gain - value
        return value, value
    store, seeds = ints[f + F_STORE], ints[f + F_SEEDS]
    upper = seeds * UNIT - gain
    lower = -upper
    if kind == CHILD_IN_TT:
        total = s.stack.control[C_TOTAL_SEEDS]
        mover = store + gain // UNIT if again != 0 else total - store - seeds
        a = own_key(s.variant, s.stack.words, w + POSITION_W * (child + U1), mover)
        data = tt_probe(s.entries, bucket_of(key, s.bits), a, key)
        if data != U0:
            low, high = entry_bounds(data, child_depth(s, f, again, proving))
            lower, upper = max(lower, low), min(upper, high)
    if again != 0:
        return gain + lower, gain + upper
    return gain - upper, gain - lower
