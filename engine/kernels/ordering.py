"""The order of children: which move a node searches first.

Moves that a table or a stored bound decides are never searched; the others are scored. In an
estimate the table's move comes first, then re-turns, right to left, then the others by what they
gain: cheap, and deep enough trees order themselves by the table.

**In a proof** a node that can be won needs one move that wins, and its cost is that of the move
that is tried first. A good move is likely to win *and* cheap to prove. Far above the endgame tables
each open child is evaluated, and its score adds up, in units of one seed:

- what the evaluation expects of the move, weighted by a quarter or so: it errs;
- what the move gains, in full: these seeds leave the game, and each seed in play multiplies the
  nodes of a proof;
- a bonus for a re-turn, after which the same side chooses again and needs no answer to all replies;
- a malus for each move that the other side has in reply, as all of them must be answered.

Close to the tables, where a subtree costs less than evaluations, the order of estimates serves.
STRENGTH.md has the figures.
"""

from typing import Final

import numpy as np

from .children import child_bounds
from .compiler import Flag, Int, inlined
from .evaluation import evaluate
from .frames import (
    C_NODES,
    F_AGAIN,
    F_ALPHA,
    F_BEST,
    F_BEST_PIT,
    F_BETA,
    F_CHILD_PIT,
    F_COUNT,
    F_CURSOR,
    F_DEPTH,
    F_GAIN,
    F_ORDER,
    F_SEEDS,
    POSITION_W,
)
from .layout import U1, UNIT, Numbers, count_pits
from .state import Search

SCORE_TABLE_MOVE: Final = 1 << 20
"""Score of the table's move, which is searched first."""
SCORE_AGAIN: Final = 4096
"""Score of a sowing after which the mover sows again; the rightmost comes first."""

EVALUATED_ABOVE: Final = 6
"""Seeds more than the endgame tables cover from which a proof evaluates the children to order."""
LEAST_COVERED: Final = 8
"""Seeds that count as covered where there are no tables, or tiny ones."""
LOWEST: Final = -(1 << 14)
"""Less than the score of any evaluated child."""
VALUE_WEIGHT: Final = 5
"""What the evaluation weighs in a proof's order, in sixteenths."""
AGAIN_BONUS: Final = 80
REPLY_MALUS: Final = 12
"""In units, as the gain."""


@inlined
def is_noisy(s: Search, f: np.uint64, child: np.uint64) -> Flag:
    """Return whether quiescence searches a move: it sows again or captures."""
    gain = s.stack.ints[f + child + F_GAIN] >> 2
    return s.stack.ints[f + child + F_AGAIN] != 0 or gain > 2


@inlined
def insert(ints: Numbers, f: np.uint64, child: np.uint64, score: int) -> None:
    """Insert a child into the order of a frame, best score first."""
    first = f + F_ORDER
    at = first + np.uint64(ints[f + F_COUNT])
    item = (score << 4) | np.int64(child)
    while at > first and ints[at - U1] < item:
        ints[at] = ints[at - U1]
        at -= U1
    ints[at] = item
    ints[f + F_COUNT] += 1


@inlined
def quick_score(ints: Numbers, f: np.uint64, child: np.uint64) -> Int:
    """Return a score that needs no evaluation: re-turns, right to left, then gains."""
    pit = ints[f + child + F_CHILD_PIT]
    if ints[f + child + F_AGAIN] != 0:
        return SCORE_AGAIN + pit
    return (ints[f + child + F_GAIN] >> 2) * 8 + pit


@inlined
def proof_score(s: Search, w: np.uint64, f: np.uint64, child: np.uint64) -> Int:
    """Return how promising and how cheap the proof of a child seems; in units, but from 0 up."""
    ints, words = s.stack.ints, s.stack.words
    at = w + POSITION_W * (child + U1)
    gain = (ints[f + child + F_GAIN] >> 2) * UNIT
    value = evaluate(s.variant, s.weights, words, at)
    if ints[f + child + F_AGAIN] != 0:
        cost = np.int64(-AGAIN_BONUS)
    else:
        value = -value
        cost = REPLY_MALUS * np.int64(count_pits(words[at]))
    return gain + (((gain + value) * VALUE_WEIGHT) >> 4) - cost - LOWEST


@inlined
def bound_and_order(
    s: Search, w: np.uint64, f: np.uint64, children: np.uint64, table_pit: int, proving: Flag
) -> None:
    """Bound every child without a search; put the children that stay open in order."""
    ints = s.stack.ints
    alpha, beta, best = ints[f + F_ALPHA], ints[f + F_BETA], ints[f + F_BEST]
    evaluated = (
        proving and ints[f + F_SEEDS] >= max(s.tables.seeds, LEAST_COVERED) + EVALUATED_ABOVE
    )
    quiet = not proving and ints[f + F_DEPTH] <= 0
    for number in range(children):
        child = np.uint64(number)
        lower, upper = child_bounds(s, w, f, child, proving)
        pit = ints[f + child + F_CHILD_PIT]
        best = max(best, lower)
        if lower > alpha:
            alpha = lower
            ints[f + F_BEST_PIT] = pit
            if lower >= beta:
                ints[f + F_COUNT] = 0
                break
        if upper <= alpha:
            best = max(best, upper)
        elif not quiet or is_noisy(s, f, child):
            score = proof_score(s, w, f, child) if evaluated else quick_score(ints, f, child)
            insert(ints, f, child, SCORE_TABLE_MOVE if pit == table_pit else score)
    ints[f + F_ALPHA] = alpha
    ints[f + F_BEST] = best


@inlined
def weigh_leaves(s: Search, w: np.uint64, f: np.uint64, most: int) -> None:
    """Value open children of a frame by the evaluation, each a node; up to ``most`` nodes."""
    ints, control = s.stack.ints, s.stack.control
    while ints[f + F_CURSOR] < ints[f + F_COUNT] and control[C_NODES] < most:
        child = next_child(ints, f)
        control[C_NODES] += 1
        gain = (ints[f + child + F_GAIN] >> 2) * UNIT
        value = evaluate(s.variant, s.weights, s.stack.words, w + POSITION_W * (child + U1))
        take_value(ints, f, child, gain + value if ints[f + child + F_AGAIN] != 0 else gain - value)


@inlined
def take_value(ints: Numbers, f: np.uint64, child: np.uint64, value: int) -> None:
    """Update a frame with the value of a child, and go on to the next; beta or more ends it."""
    ints[f + F_CURSOR] += 1
    ints[f + F_BEST] = max(ints[f + F_BEST], value)
    if value > ints[f + F_ALPHA]:
        ints[f + F_ALPHA] = value
        ints[f + F_BEST_PIT] = ints[f + child + F_CHILD_PIT]
        if value >= ints[f + F_BETA]:
            ints[f + F_COUNT] = 0


@inlined
def next_child(ints: Numbers, f: np.uint64) -> np.uint64:
    """Return the number of the child that the cursor stands at."""
    return np.uint64(ints[f + F_ORDER + np.uint64(ints[f + F_CURSOR])] & 15)


@inlined
def move_to_front(ints: Numbers, f: np.uint64, pit: int) -> None:
    """Move the child of a pit to the front, unless the table's move is there."""
    first = f + F_ORDER
    if ints[first] >> 4 == SCORE_TABLE_MOVE:
        return
    at = first
    end = first + np.uint64(ints[f + F_COUNT])
    while at < end and ints[f + np.uint64(ints[at] & 15) + F_CHILD_PIT] != pit:
        at += U1
    if at == end:
        return
    item = ints[at]
    while at > first:
        ints[at] = ints[at - U1]
        at -= U1
    ints[first] = item
