"""Players that search a tree of turns to a fixed depth: minimax and alpha-beta.

Values, order of moves and counts of positions are those of ``engine/classics/trees.py`` and
``engine/classics/alphabeta.py``. The tree is walked with frames instead of recursion; see `turns`.
"""

from typing import Final

import numpy as np

from .choosers import (
    AGAIN,
    ALPHA,
    ALPHABETA,
    BEST,
    BEST_FIRST,
    BETA,
    CURSOR,
    DEPTH,
    FRAME,
    MINIMAX,
    SIDE,
    STORES,
    UNORDERED,
    Chooser,
    captured_by,
    play_pit,
    store_of,
    swept_lead,
)
from .compiler import Int, inlined, kernel
from .layout import U0, U1, hand_in, row_sum
from .state import Variant

BOUND: Final = 2550
"""Greater than any value: ``BOUND`` of ``engine/classics/trees.py``, as is ``WIN``."""
WIN: Final = 1020
RETURN_WORTH: Final = 3
AGAIN_FIRST: Final = 1 << 20
"""Weight of a re-turn in the promise of a move; a seed captured weighs ``CAPTURE_WORTH``."""
CAPTURE_WORTH: Final = 16
PIT_MASK: Final = 15
"""The bits of a promise that are its pit."""
MOST_VISITED: Final = 5_000_000
"""Positions that one choice may visit, about half a second; the player is not played here then."""


@inlined
def side_worth(v: Variant, word: np.uint64) -> Int:
    """Return a side's seeds, store included, and three for each pit that reaches the store."""
    worth = np.int64(row_sum(word))
    for pit in range(v.pits):
        if hand_in(word, pit) == np.uint64(v.pits - pit):
            worth += RETURN_WORTH
    return worth


@inlined
def leaf_value(v: Variant, c: Chooser, me: np.uint64, you: np.uint64) -> Int:
    """Return the evaluation of an open position for its mover."""
    if c.evaluation == SIDE:
        return side_worth(v, me) - side_worth(v, you)
    return store_of(v, me) - store_of(v, you)


@inlined
def final_value(v: Variant, c: Chooser, me: np.uint64, you: np.uint64) -> Int:
    """Return the value of a finished game for the side named first."""
    lead = swept_lead(v, me, you)
    if c.evaluation == STORES or lead == 0:
        return lead
    return lead + WIN if lead > 0 else lead - WIN


@inlined
def next_promising(
    v: Variant, c: Chooser, me: np.uint64, you: np.uint64, half: np.uint64, last: int
) -> Int:
    """Return the promise of the move that follows the one of promise ``last``; -1 when none does.

    A promise holds the pit in its lowest four bits. The first call passes a ``last`` outside of all
    promises. Sowing again for each move is cheaper than keeping the promises of every open node.
    """
    found: Int = -1
    for pit in range(v.pits):
        if hand_in(me, pit) == U0:
            continue
        if c.order == UNORDERED:
            promise = pit
        else:
            own, _, _, again = play_pit(v, me, you, half, pit)
            promise = captured_by(v, me, own, pit) * CAPTURE_WORTH + pit
            promise += AGAIN_FIRST if again else 0
        if c.order == BEST_FIRST:
            if promise < last and promise > found:
                found = promise
        elif promise > last and (found < 0 or promise < found):
            found = promise
    return found


@inlined
def before_all(c: Chooser) -> Int:
    """Return a promise that comes before every move's."""
    return 2 * AGAIN_FIRST if c.order == BEST_FIRST else -1


@kernel
def tree_value(
    v: Variant,
    c: Chooser,
    me: np.uint64,
    you: np.uint64,
    half: np.uint64,
    goal: tuple[int, int, int],
) -> Int:
    """Return an open position's value within ``goal`` = (depth, alpha, beta), else a bound.

    Plain minimax passes an open window to every successor. Counts the positions visited; past
    ``MOST_VISITED`` the value means nothing.
    """
    words, ints = c.words, c.ints
    words[0], words[1] = me, you
    ints[DEPTH], ints[ALPHA], ints[BETA] = goal
    ply: Int = 0
    entering = True
    while True:
        f = FRAME * ply
        me, you = words[2 * ply], words[2 * ply + 1]
        promise: Int = -1
        if entering:
            c.visited[0] += 1
            if c.visited[0] > MOST_VISITED:
                return 0
            ints[f + BEST] = leaf_value(v, c, me, you) if ints[f + DEPTH] == 0 else -BOUND
            ints[f + CURSOR] = before_all(c)
        if ints[f + DEPTH] > 0 and ints[f + BEST] < ints[f + BETA]:
            promise = next_promising(v, c, me, you, half, ints[f + CURSOR])
        if promise < 0:
            if ply == 0:
                return ints[BEST]
            value = ints[f + BEST]
            ply -= 1
            f -= FRAME
            ints[f + BEST] = max(ints[f + BEST], value if ints[f + AGAIN] != 0 else -value)
            entering = False
            continue
        ints[f + CURSOR] = promise
        own, other, over, again = play_pit(v, me, you, half, promise & PIT_MASK)
        if over:
            c.visited[0] += 1
            ints[f + BEST] = max(ints[f + BEST], final_value(v, c, own, other))
            entering = False
            continue
        low, high = max(ints[f + ALPHA], ints[f + BEST]), ints[f + BETA]
        if c.kind == MINIMAX:
            low, high = -BOUND, BOUND
        ints[f + AGAIN] = 1 if again else 0
        depth = ints[f + DEPTH]
        ply += 1
        f += FRAME
        words[2 * ply], words[2 * ply + 1] = (own, other) if again else (other, own)
        ints[f + DEPTH] = depth if again else depth - 1
        ints[f + ALPHA] = low if again else -high
        ints[f + BETA] = high if again else -low
        entering = True


@inlined
def tree_rating(
    v: Variant,
    c: Chooser,
    me: np.uint64,
    you: np.uint64,
    half: np.uint64,
    move: tuple[int, int],
) -> Int:
    """Return how a tree player rates ``move`` = (pit, alpha)."""
    pit, alpha = move
    own, other, over, again = play_pit(v, me, you, half, pit)
    if over:
        c.visited[0] += 1
        return final_value(v, c, own, other)
    if again:
        return tree_value(v, c, own, other, half, (c.depth, alpha, BOUND))
    return -tree_value(v, c, other, own, half, (c.depth - 1, -BOUND, -alpha))


@inlined
def best_tree_pits(
    v: Variant, c: Chooser, me: np.uint64, you: np.uint64, half: np.uint64
) -> np.uint64:
    """Return the pits that a tree player rates best on an open position, as bits."""
    chosen = U0
    greatest: Int = -BOUND
    c.visited[0] = 1
    promise = next_promising(v, c, me, you, half, before_all(c))
    while promise >= 0:
        pit = promise & PIT_MASK
        # alpha is one below the best, so that an equal value is exact and shares the choice.
        alpha = greatest - 1 if c.kind == ALPHABETA else -BOUND
        rating = tree_rating(v, c, me, you, half, (pit, alpha))
        if rating > greatest:
            greatest, chosen = rating, U0
        if rating == greatest:
            chosen |= U1 << np.uint64(pit)
        promise = next_promising(v, c, me, you, half, promise)
    return chosen
