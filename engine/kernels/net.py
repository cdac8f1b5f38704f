"""The nets: one hidden layer, which sees each pit's count and the threats of both sides.

Every input is one of a few cases (a pit holds 0, 1, 2… seeds), so the first layer is a sum of one
row of weights for each place, and multiplies nothing. Hidden units are rectified (negative sums
count as 0), weighed and added. All is in whole numbers: 16 bits for sums of rows, 32 for the value,
which :mod:`mancala.engine.evaluation.weights` checks to be enough. So a net is the same on every
machine, and the compiler makes vector instructions of the loop: 64 units take about 16 ns, no more
than it would cost to keep the sums up to date from move to move.

`net_value` is for six pits a row, `shared_net_value` for all other widths together: it knows a pit
by its distance from its owner's store, so that what is learned on one width serves the others. The
rows of its weights are laid out for a width before the search, with those of the width itself in
the bias. Up to eight pits the second word of a side is empty and left out.
"""

import numpy as np

from .compiler import Int, inlined
from .layout import U0, U1, U2, U3, U4, U5, U6, U7, Shorts, Words, hand_in
from .state import (
    NET_COUNTS,
    NET_HIDDEN,
    NET_PITS,
    NET_SHIFT,
    NET_THREATS,
    SHARED_BIAS,
    SHARED_LANES,
    SHARED_OUT,
    SHARED_THREAT_ROWS,
    SHARED_THREATS,
    W_NET_OUT,
    W_NET_ROWS,
)

HALF = np.uint64(8)
MOST_SEEDS = np.uint64(NET_COUNTS - 1)
WIDTH = np.uint64(NET_HIDDEN)
PIT = np.uint64(NET_COUNTS * NET_HIDDEN)
MINE = np.uint64(W_NET_ROWS)
THEIRS = np.uint64(W_NET_ROWS + NET_PITS * NET_COUNTS * NET_HIDDEN)
SHARED_THEIRS = np.uint64(W_NET_ROWS + SHARED_LANES * NET_COUNTS * NET_HIDDEN)
"""Where the rows of the mover's pits, and of the other's, begin."""
THREATS = np.uint64(W_NET_ROWS + 2 * NET_PITS * NET_COUNTS * NET_HIDDEN)
THREAT_ROWS = np.uint64(NET_THREATS)
SHARED_THREATS_AT = np.uint64(SHARED_THREAT_ROWS)
SHARED_ROWS = np.uint64(SHARED_THREATS)
"""Where the rows of the threats begin, and how many each has."""
OUT = np.uint64(W_NET_OUT)
SHARED_OUT_AT = np.uint64(SHARED_OUT)
BIAS = np.uint64(SHARED_BIAS)

Threats = tuple[Int, Int, Int]
Rows = tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]


@inlined
def pit_row(first: np.uint64, lane: np.uint64, word: np.uint64) -> np.uint64:
    """Return where the row of a pit's count begins; ``first`` is where those of its word do.

    Lanes are words, not literals, for each of which numba would compile a function of its own.
    """
    count = min(hand_in(word, lane), MOST_SEEDS)
    return np.uint64(first + lane * PIT + count * WIDTH)


@inlined
def threat_row(first: np.uint64, rows: np.uint64, place: np.uint64, count: int) -> np.uint64:
    """Return where the row of a threat begins, of ``rows`` each; places 0 to 2 are the mover's."""
    return np.uint64(first + (place * rows + min(np.uint64(count), rows - U1)) * WIDTH)


@inlined
def weighed(w: Shorts, at: np.uint64, total: int) -> np.int32:
    """Return what a hidden unit adds: its sum, if it is positive, times its weight."""
    hidden = np.int32(max(np.int16(total), np.int16(0)))
    return np.int32(hidden * np.int32(w[at]))


@inlined
def net_value(w: Shorts, me: np.uint64, you: np.uint64, mine: Threats, theirs: Threats) -> Int:
    """Return what the net adds to the weighted features, in units."""
    a0, a1, a2 = pit_row(MINE, U0, me), pit_row(MINE, U1, me), pit_row(MINE, U2, me)
    a3, a4, a5 = pit_row(MINE, U3, me), pit_row(MINE, U4, me), pit_row(MINE, U5, me)
    b0, b1, b2 = pit_row(THEIRS, U0, you), pit_row(THEIRS, U1, you), pit_row(THEIRS, U2, you)
    b3, b4, b5 = pit_row(THEIRS, U3, you), pit_row(THEIRS, U4, you), pit_row(THEIRS, U5, you)
    c0, c1, c2, c3, c4, c5 = threat_rows(THREATS, THREAT_ROWS, mine, theirs)
    value = np.int32(0)
    for unit in range(NET_HIDDEN):
        u = np.uint64(unit)
        pits = w[a0 + u] + w[a1 + u] + w[a2 + u] + w[a3 + u] + w[a4 + u] + w[a5 + u]
        pits += w[b0 + u] + w[b1 + u] + w[b2 + u] + w[b3 + u] + w[b4 + u] + w[b5 + u]
        threats = w[c0 + u] + w[c1 + u] + w[c2 + u] + w[c3 + u] + w[c4 + u] + w[c5 + u]
        value = np.int32(value + weighed(w, OUT + u, pits + threats))
    return np.int64(value) >> NET_SHIFT


@inlined
def threat_rows(
    first: np.uint64, rows: np.uint64, mine: Threats, theirs: Threats
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return where the rows of both sides' threats begin, of ``rows`` each."""
    return (
        threat_row(first, rows, U0, mine[0]),
        threat_row(first, rows, U1, mine[1]),
        threat_row(first, rows, U2, mine[2]),
        threat_row(first, rows, U3, theirs[0]),
        threat_row(first, rows, U4, theirs[1]),
        threat_row(first, rows, U5, theirs[2]),
    )


@inlined
def pit_rows(first: np.uint64, word: np.uint64) -> Rows:
    """Return where the rows of a word's eight pits begin."""
    return (
        pit_row(first, U0, word),
        pit_row(first, U1, word),
        pit_row(first, U2, word),
        pit_row(first, U3, word),
        pit_row(first, U4, word),
        pit_row(first, U5, word),
        pit_row(first, U6, word),
        pit_row(first, U7, word),
    )


@inlined
def sum_of(w: Shorts, rows: Rows, u: np.uint64) -> Int:
    """Add up what eight rows hold for a hidden unit."""
    low = w[rows[0] + u] + w[rows[1] + u] + w[rows[2] + u] + w[rows[3] + u]
    return low + w[rows[4] + u] + w[rows[5] + u] + w[rows[6] + u] + w[rows[7] + u]


@inlined
def shared_net_value(
    m: np.uint64, w: Shorts, words: Words, at: np.uint64, threats: tuple[Threats, Threats]
) -> Int:
    """Return what the net for any width adds to the weighted features, in units."""
    c0, c1, c2, c3, c4, c5 = threat_rows(SHARED_THREATS_AT, SHARED_ROWS, threats[0], threats[1])
    a, b = pit_rows(MINE, words[at]), pit_rows(SHARED_THEIRS, words[at + U1])
    value = np.int32(0)
    if m <= HALF:
        for unit in range(NET_HIDDEN):
            u = np.uint64(unit)
            total = sum_of(w, a, u) + sum_of(w, b, u) + w[BIAS + u]
            total += w[c0 + u] + w[c1 + u] + w[c2 + u] + w[c3 + u] + w[c4 + u] + w[c5 + u]
            value = np.int32(value + weighed(w, SHARED_OUT_AT + u, total))
    else:
        a2 = pit_rows(MINE + HALF * PIT, words[at + U2])
        b2 = pit_rows(SHARED_THEIRS + HALF * PIT, words[at + U3])
        for unit in range(NET_HIDDEN):
            u = np.uint64(unit)
            total = sum_of(w, a, u) + sum_of(w, b, u) + w[BIAS + u]
            total += sum_of(w, a2, u) + sum_of(w, b2, u)
            total += w[c0 + u] + w[c1 + u] + w[c2 + u] + w[c3 + u] + w[c4 + u] + w[c5 + u]
            value = np.int32(value + weighed(w, SHARED_OUT_AT + u, total))
    return np.int64(value) >> NET_SHIFT
