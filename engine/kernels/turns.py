"""Strategies that look through one turn: random, greedy, captures and defend.

Their ratings are those of ``engine/classics/strategies.py``. A turn is a tree of sowings; it is
walked with frames instead of recursion, since numba cannot keep a kernel on disk whose callee
recurses. Different orders lead to the same position, so results are kept by position.
"""

from typing import Final

import numpy as np

from .choosers import (
    BEST,
    CAPTURES,
    CURSOR,
    FRAME,
    FRAMES,
    GAIN,
    GREEDY,
    MEMO_BITS,
    RANDOM,
    Chooser,
    captured_by,
    play_pit,
    swept_lead,
)
from .compiler import Flag, Int, inlined, kernel
from .layout import U0, U1, hand_in
from .state import Variant
from .tt import mix_key

LEAD_SPAN: Final = 1024
"""A rating is one number, ``LEAD_SPAN * first + lead``, with ``first`` the more important part."""
LOWEST: Final = 1 << 30
"""Minus this is less than any rating."""
DONE: Final = 99
"""Cursor of a frame whose rating is known already; beyond every pit."""
MEMO_ZERO: Final = 1 << 32
"""Added to a rating that is kept, so that it is no negative number."""
MEMO_SHIFT = np.uint64(56 - MEMO_BITS)


@inlined
def memo_at(me: np.uint64, you: np.uint64) -> np.uint64:
    """Return the index of the entry that may hold a position."""
    return (mix_key(me, you) >> MEMO_SHIFT) << np.uint64(2)


@inlined
def remember(c: Chooser, me: np.uint64, you: np.uint64, kind: int, value: int) -> None:
    """Keep the result of looking through a turn."""
    at = memo_at(me, you)
    c.memo[at] = me
    c.memo[at + U1] = you
    c.memo[at + np.uint64(2)] = np.uint64(1 + kind)
    c.memo[at + np.uint64(3)] = np.uint64(value + MEMO_ZERO)


@inlined
def is_kept(c: Chooser, at: np.uint64, me: np.uint64, you: np.uint64, kind: int) -> Flag:
    """Return whether an entry holds the result for a position."""
    same = c.memo[at] == me and c.memo[at + U1] == you
    return same and c.memo[at + np.uint64(2)] == np.uint64(1 + kind)


@inlined
def kept_rating(c: Chooser, at: np.uint64) -> Int:
    """Return the rating in an entry."""
    return np.int64(c.memo[at + np.uint64(3)]) - MEMO_ZERO


@inlined
def push(c: Chooser, ply: int, sides: tuple[np.uint64, np.uint64], kind: int) -> None:
    """Begin the frame of a position in a turn; a position that was looked at before is done."""
    me, you = sides
    f = FRAME * ply
    c.words[2 * ply], c.words[2 * ply + 1] = me, you
    at = memo_at(me, you)
    if is_kept(c, at, me, you, kind):
        c.ints[f + BEST] = kept_rating(c, at)
        c.ints[f + CURSOR] = DONE
    else:
        c.ints[f + BEST] = 0 if kind == CAPTURES else -LOWEST
        c.ints[f + CURSOR] = 0


@inlined
def pop(c: Chooser, ply: int, kind: int) -> None:
    """End a frame: keep its rating, and give it to the frame below, if there is one."""
    f = FRAME * ply
    best = c.ints[f + BEST]
    if c.ints[f + CURSOR] != DONE:
        remember(c, c.words[2 * ply], c.words[2 * ply + 1], kind, best)
    if ply % FRAMES != 0:
        f -= FRAME
        c.ints[f + BEST] = max(c.ints[f + BEST], c.ints[f + GAIN] + best)


@kernel
def threat(v: Variant, c: Chooser, me: np.uint64, you: np.uint64, half: np.uint64) -> Int:
    """Return the most seeds of the other row that the mover can capture in one turn."""
    words, ints = c.words, c.ints
    ply: Int = FRAMES
    push(c, ply, (me, you), CAPTURES)
    while ply >= FRAMES:
        f = FRAME * ply
        pit = ints[f + CURSOR]
        if pit >= v.pits:
            pop(c, ply, CAPTURES)
            ply -= 1
            continue
        ints[f + CURSOR] += 1
        me, you = words[2 * ply], words[2 * ply + 1]
        if hand_in(me, pit) == U0:
            continue
        own, other, _, again = play_pit(v, me, you, half, pit)
        taken = max(captured_by(v, me, own, pit) - 1, 0)
        if again:
            ints[f + GAIN] = taken
            ply += 1
            push(c, ply, (own, other), CAPTURES)
        else:
            ints[f + BEST] = max(ints[f + BEST], taken)
    return ints[FRAME * FRAMES + BEST]


@inlined
def turn_end(
    v: Variant, c: Chooser, own: np.uint64, other: np.uint64, half: np.uint64, over: Flag
) -> Int:
    """Return how greedy or defend rates the end of a turn, the mover's side first."""
    if c.kind == GREEDY or over:
        return swept_lead(v, own, other)
    return swept_lead(v, own, other) - LEAD_SPAN * threat(v, c, other, own, half)


@kernel
def best_turn(v: Variant, c: Chooser, me: np.uint64, you: np.uint64, half: np.uint64) -> Int:
    """Return the best that the mover's turn can hold, as greedy or defend rates it."""
    words, ints = c.words, c.ints
    ply: Int = 0
    push(c, ply, (me, you), c.kind)
    while ply >= 0:
        f = FRAME * ply
        pit = ints[f + CURSOR]
        if pit >= v.pits:
            pop(c, ply, c.kind)
            ply -= 1
            continue
        ints[f + CURSOR] += 1
        me, you = words[2 * ply], words[2 * ply + 1]
        if hand_in(me, pit) == U0:
            continue
        own, other, over, again = play_pit(v, me, you, half, pit)
        if again:
            ints[f + GAIN] = LEAD_SPAN if c.kind == GREEDY else 0
            ply += 1
            push(c, ply, (own, other), c.kind)
        else:
            ints[f + BEST] = max(ints[f + BEST], turn_end(v, c, own, other, half, over))
    return ints[BEST]


@inlined
def strategy_rating(
    v: Variant, c: Chooser, me: np.uint64, you: np.uint64, half: np.uint64, pit: int
) -> Int:
    """Return how a strategy rates a pit."""
    if c.kind == RANDOM:
        return 0
    own, other, over, again = play_pit(v, me, you, half, pit)
    if c.kind == CAPTURES:
        return 2 * captured_by(v, me, own, pit) + (1 if again else 0)
    if again:
        return (LEAD_SPAN if c.kind == GREEDY else 0) + best_turn(v, c, own, other, half)
    return turn_end(v, c, own, other, half, over)


@inlined
def best_strategy_pits(
    v: Variant, c: Chooser, me: np.uint64, you: np.uint64, half: np.uint64
) -> np.uint64:
    """Return the pits that a strategy rates best on an open position, as bits."""
    chosen = U0
    greatest: Int = -LOWEST
    for pit in range(v.pits):
        if hand_in(me, pit) == U0:
            continue
        rating = strategy_rating(v, c, me, you, half, pit)
        if rating > greatest:
            greatest, chosen = rating, U0
        if rating == greatest:
            chosen |= U1 << np.uint64(pit)
    return chosen
