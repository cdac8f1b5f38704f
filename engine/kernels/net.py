"""The net: one hidden layer, which sees each pit's count and the threats of both sides.

Every input is one of a few cases (a pit holds 0, 1, 2… seeds), so the first layer is a sum of one
row of weights for each place, and multiplies nothing. Hidden units are rectified (negative sums
count as 0), weighed and added. All is in whole numbers: 16 bits for sums of rows, 32 for the value,
which :mod:`mancala.engine.evaluation.weights` checks to be enough. So the net is the same on every
machine, and the compiler makes vector instructions of the loop: 64 units take about 16 ns, no more
than it would cost to keep the sums up to date from move to move.
"""

from __future__ import annotations

import numpy as np

from .compiler import Int, inlined
from .layout import BYTE, LANE_LOG2, U0, U1, U2, U3, U4, U5, Shorts
from .state import NET_COUNTS, NET_HIDDEN, NET_PITS, NET_SHIFT, NET_THREATS, W_NET_OUT, W_NET_ROWS

MOST_SEEDS = np.uint64(NET_COUNTS - 1)
MOST_THREAT = NET_THREATS - 1
WIDTH = np.uint64(NET_HIDDEN)
MINE = np.uint64(W_NET_ROWS)
THEIRS = np.uint64(W_NET_ROWS + NET_PITS * NET_COUNTS * NET_HIDDEN)
THREATS = np.uint64(W_NET_ROWS + 2 * NET_PITS * NET_COUNTS * NET_HIDDEN)
"""Where the rows of the mover's pits, of the other's and of the threats begin."""
PIT = np.uint64(NET_COUNTS * NET_HIDDEN)
THREAT = np.uint64(NET_THREATS * NET_HIDDEN)
OUT = np.uint64(W_NET_OUT)


@inlined
def pit_row(first: np.uint64, lane: np.uint64, word: np.uint64) -> np.uint64:
    """Return where the row of a pit's count begins; ``first`` is where those of its side do.

    Lanes are words, not literals, for each of which numba would compile a function of its own.
    """
    count = min((word >> (lane << LANE_LOG2)) & BYTE, MOST_SEEDS)
    return np.uint64(first + lane * PIT + count * WIDTH)


@inlined
def threat_row(place: np.uint64, count: int) -> np.uint64:
    """Return where the row of a threat begins: places 0 to 2 are the mover's."""
    return np.uint64(THREATS + place * THREAT + np.uint64(min(count, MOST_THREAT)) * WIDTH)


@inlined
def net_value(
    w: Shorts,
    me: np.uint64,
    you: np.uint64,
    mine: tuple[Int, Int, Int],
    theirs: tuple[Int, Int, Int],
) -> Int:
    """Return what the net adds to the weighted features, in units."""
    a0, a1, a2 = pit_row(MINE, U0, me), pit_row(MINE, U1, me), pit_row(MINE, U2, me)
    a3, a4, a5 = pit_row(MINE, U3, me), pit_row(MINE, U4, me), pit_row(MINE, U5, me)
    b0, b1, b2 = pit_row(THEIRS, U0, you), pit_row(THEIRS, U1, you), pit_row(THEIRS, U2, you)
    b3, b4, b5 = pit_row(THEIRS, U3, you), pit_row(THEIRS, U4, you), pit_row(THEIRS, U5, you)
    c0, c1, c2 = threat_row(U0, mine[0]), threat_row(U1, mine[1]), threat_row(U2, mine[2])
    c3, c4, c5 = threat_row(U3, theirs[0]), threat_row(U4, theirs[1]), threat_row(U5, theirs[2])
    value = np.int32(0)
    for unit in range(NET_HIDDEN):
        u = np.uint64(unit)
        pits = w[a0 + u] + w[a1 + u] + w[a2 + u] + w[a3 + u] + w[a4 + u] + w[a5 + u]
        pits += w[b0 + u] + w[b1 + u] + w[b2 + u] + w[b3 + u] + w[b4 + u] + w[b5 + u]
        threats = w[c0 + u] + w[c1 + u] + w[c2 + u] + w[c3 + u] + w[c4 + u] + w[c5 + u]
        hidden = np.int32(max(np.int16(pits + threats), np.int16(0)))
        value = np.int32(value + np.int32(hidden * np.int32(w[OUT + u])))
    return np.int64(value) >> NET_SHIFT
