"""The evaluation: an estimate of the value-to-go, from weighted features and a small net.

`mancala.engine.evaluation.features` names the features, and `mancala.engine.evaluation.weights`
fills the weights. A pit and its count cost one load; what is counted on the whole board is played
out on the words (`threats`), and has its weights from ``W_BOARD`` on, in the order of the features.
What depends on several of these together is added by the net (:mod:`mancala.engine.kernels.net`)
or, where the weights have none, by tables for each two pits: one load weighs four pits and their
counts, two groups of two neighbours.
"""

import numpy as np

from .compiler import Int, called, inlined
from .layout import (
    HIGH_BIT,
    U1,
    U2,
    U3,
    UNIT,
    Shorts,
    Words,
    hand_at,
    held_lanes,
    seeds_of,
)
from .net import Threats, net_value, shared_net_value
from .state import (
    NO_NET,
    SHARED_NET,
    W_BOARD,
    W_BOARD_OTHER,
    W_COUNTS,
    W_GROUP,
    W_GROUPS,
    W_NET,
    W_OTHER,
    W_TEMPO,
    Variant,
)
from .threats import shared_threats, threats

MAX_COUNT = np.uint64(W_COUNTS - 1)
OTHERS = np.uint64(W_OTHER)
BOARD = np.uint64(W_BOARD)
BOARD_OTHERS = np.uint64(W_BOARD_OTHER)
GROUP = np.uint64(W_GROUP)
GROUPS = np.uint64(W_GROUPS)
NET = np.uint64(W_NET)
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
def threat_value(w: Shorts, mine: Threats, theirs: Threats) -> Int:
    """Return what the threats of both sides weigh."""
    value = w[BOARD] * mine[0] + w[BOARD + U1] * mine[1] + w[BOARD + U2] * mine[2]
    value += w[BOARD_OTHERS] * theirs[0] + w[BOARD_OTHERS + U1] * theirs[1]
    return value + w[BOARD_OTHERS + U2] * theirs[2]


@inlined
def neighbour_counts(row: np.uint64) -> np.uint64:
    """Return the counts of two neighbours, cut to 7, in six bits of each other lane."""
    large = held_lanes(row & ~SMALL) >> HIGH_BIT
    small = (row & SMALL) | (large * SMALL_COUNT)
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


@called
def shared_value(m: np.uint64, w: Shorts, words: Words, at: np.uint64) -> Int:
    """Return what threats weigh and the net for any width adds, in units."""
    me, you, me2, you2 = words[at], words[at + U1], words[at + U2], words[at + U3]
    mine = shared_threats(m, me, me2, you, you2)
    theirs = shared_threats(m, you, you2, me, me2)
    return threat_value(w, mine, theirs) + shared_net_value(m, w, words, at, (mine, theirs))


@inlined
def unbounded(v: Variant, w: Shorts, words: Words, at: np.uint64) -> Int:
    """Evaluate as `evaluate` does, whatever the seeds in play."""
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
        value += threat_value(w, mine, theirs)
        if w[NET] != NO_NET:
            value += net_value(w, me, you, mine, theirs)
        else:
            value += pair_features(v, w, me, you)
    return value


@inlined
def evaluate(v: Variant, w: Shorts, words: Words, at: np.uint64) -> Int:
    """Return an estimate of the value-to-go, in units; ``state`` has the layout of the weights."""
    left = seeds_of(words, at) * UNIT
    return max(-left, min(left, unbounded(v, w, words, at)))
