"""The evaluation: an estimate of the value-to-go, from weighted features and a small net.

`mancala.engine.evaluation.weights` names the features and fills the weights. A pit and its count
cost one load; chains of re-turns and captures are played out on the words. What depends on several
of these together is added by the net (:mod:`mancala.engine.kernels.net`) or, where the weights have
none, by tables for each two pits: one load weighs four pits and their counts, two groups of two
neighbours.
"""

from __future__ import annotations

import numpy as np

from .compiler import Int, inlined
from .layout import (
    BYTE,
    HIGH_BIT,
    HIGHS,
    LANE_BITS,
    LANE_LOG2,
    SEVENS,
    U0,
    U1,
    U2,
    UNIT,
    Shorts,
    Words,
    hand_at,
    seeds_of,
)
from .net import net_value
from .shared_net import shared_value
from .sowing import S_AGAIN, S_LAST, S_OTHER, narrow_row
from .state import NO_NET, SHARED_NET, W_COUNTS, W_GROUP, W_GROUPS, W_NET, W_OTHER, W_TEMPO, Variant

MAX_COUNT = np.uint64(W_COUNTS - 1)
OTHERS = np.uint64(W_OTHER)
GROUP = np.uint64(W_GROUP)
GROUPS = np.uint64(W_GROUPS)
NET = np.uint64(W_NET)
SHIFT_MASK = np.uint64(63)
"""Keeps a shift below the width of a word, where it would be undefined."""
SMALL_COUNT = np.uint64(7)
SMALL = np.uint64(0x0707070707070707)
"""Mask of the counts up to 7, in every lane."""
PAIR_MASK = np.uint64(0x003F003F003F003F)
"""Six bits of each other lane: the counts of two neighbours."""
PAIR_FOLD = np.uint64(5)
"""Moves the right neighbour's three bits beside the left one's: ``8 - 3``."""
PAIR_BITS = np.uint64(6)
PAIR_LANES = np.uint64(16)
PAIR = np.uint64(63)


@inlined
def best_capture(v: Variant, me: np.uint64, you: np.uint64) -> Int:
    """Return the most seeds of the other row that one sowing captures; without branches.

    An empty pit needs no test: its sowing ends where it began, in a pit without a seed.
    """
    best = U0
    for lane in range(v.pits):
        pit = np.uint64(lane)
        row = narrow_row((me >> (pit << LANE_LOG2)) & BYTE, pit)
        last = v.sowing[row | S_LAST]
        lands = ((me + v.sowing[row]) >> (last & SHIFT_MASK)) & BYTE
        taken = (
            (you + v.sowing[row | S_OTHER]) >> ((v.store - LANE_BITS - last) & SHIFT_MASK)
        ) & BYTE
        best = max(best, taken if (last < v.store) & (lands == U1) else U0)
    return np.int64(best)


@inlined
def chain(v: Variant, me: np.uint64, you: np.uint64) -> tuple[Int, np.uint64, np.uint64]:
    """Return the number of re-turns, playing the rightmost first, and the rows after them."""
    length = 0
    pit = np.uint64(v.pits)
    while pit != U0:
        pit -= U1
        hand = (me >> (pit << LANE_LOG2)) & BYTE
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
def threat_value(w: Shorts, at: np.uint64, counts: tuple[Int, Int, Int]) -> Int:
    """Return the weight of a side's threats."""
    return w[at] * counts[0] + w[at + U1] * counts[1] + w[at + U2] * counts[2]


@inlined
def neighbour_counts(row: np.uint64) -> np.uint64:
    """Return the counts of two neighbours, cut to 7, in six bits of each other lane."""
    large = row & ~SMALL
    large = (((large & SEVENS) + SEVENS) | large) & HIGHS
    small = (row & SMALL) | ((large >> HIGH_BIT) * SMALL_COUNT)
    return (small | (small >> PAIR_FOLD)) & PAIR_MASK


@inlined
def pair_features(v: Variant, w: Shorts, me: np.uint64, you: np.uint64) -> Int:
    """Return the weight of each two pits' counts, in the order of ``state.groups``."""
    mine, theirs = neighbour_counts(me), neighbour_counts(you)
    groups = (v.pits + 1) >> 1
    value = np.int64(0)
    at = GROUPS
    for one in range(groups):
        line = ((mine >> (np.uint64(one) * PAIR_LANES)) & PAIR) << PAIR_BITS
        for two in range(one + 1, groups):
            value += w[at + line + ((mine >> (np.uint64(two) * PAIR_LANES)) & PAIR)]
            at += GROUP
        for two in range(groups):
            value += w[at + line + ((theirs >> (np.uint64(two) * PAIR_LANES)) & PAIR)]
            at += GROUP
    for one in range(groups):
        line = ((theirs >> (np.uint64(one) * PAIR_LANES)) & PAIR) << PAIR_BITS
        for two in range(one + 1, groups):
            value += w[at + line + ((theirs >> (np.uint64(two) * PAIR_LANES)) & PAIR)]
            at += GROUP
    return value


@inlined
def evaluate(v: Variant, w: Shorts, words: Words, at: np.uint64) -> Int:
    """Return an estimate of the value-to-go, in units; ``state`` has the layout of the weights.

    Without a net, wide rows are evaluated by pit and count alone.
    """
    value = np.int64(w[W_TEMPO])
    for pit in range(v.pits):
        line = np.uint64(pit * W_COUNTS)
        value += w[line + min(hand_at(words, at, pit), MAX_COUNT)]
        value += w[OTHERS + line + min(hand_at(words, at + U1, pit), MAX_COUNT)]
    if w[NET] == SHARED_NET:
        value += shared_value(np.uint64(v.pits), w, words, at)
    elif not v.wide:
        me, you = words[at], words[at + U1]
        mine, theirs = threats(v, me, you), threats(v, you, me)
        value += threat_value(w, np.uint64(W_TEMPO + 1), mine)
        value += threat_value(w, np.uint64(W_TEMPO + 4), theirs)
        if w[NET] != NO_NET:
            value += net_value(w, me, you, mine, theirs)
        else:
            value += pair_features(v, w, me, you)
    left = seeds_of(words, at) * UNIT
    return max(-left, min(left, value))
