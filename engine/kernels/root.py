"""The root: the moves of one board, searched against each other, ever deeper, in one call.

An iteration of the deepening asks some ten questions of a few dozen to a few thousand nodes each.
From Python every question would cost as much as thirty nodes, and every iteration as a hundred:
half of a search of 2 ms. The kernel asks them itself: the first move in a window about the value of
the last iteration (aspiration), the others with a null window above the best so far, and again
with an open side where the value falls outside; then it orders the moves for the next iteration.
A pause keeps its place in `Root`, and the same call resumes it.

What an iteration finds wavers by half a seed and more from depth to depth, and so do choices
between moves of about the same value. The best move has stood up to earlier iterations too, so
another one takes its place only if it is worth ``LEAD`` more, or proven to be worth more at all.
"""

from typing import Final, NamedTuple

import numpy as np

from .compiler import Int, inlined, kernel
from .frames import C_NODES, C_STOP, DONE, F_BEST, F_BEST_PIT, F_DEPTH, TOO_DEEP
from .layout import (
    INFINITY,
    NO_PIT,
    POSITION_WORDS,
    PROOF,
    U0,
    UNIT,
    Numbers,
    Words,
    hand_at,
    seeds_of,
    turn,
)
from .queries import lookup
from .search import begin, estimate, prove
from .sowing import OVER, PASSES, play
from .state import Search, Variant

MOST_MOVES: Final = 16
ASPIRATION: Final = 4 * UNIT
"""Half of the window, about the last iteration's value, in which the first move is searched."""
LEAD: Final = UNIT // 4
"""By how much what is not proven must be better than the best so far to take its place."""
(
    R_DEPTH,
    R_COUNT,
    R_CURSOR,
    R_STAGE,
    R_LOW,
    R_HIGH,
    R_ALPHA,
    R_BEST,
    R_GUESS,
    R_DEEPEST,
    R_OPEN,
) = range(11)
"""Control words: plies to search after each move; moves to search and how many are done; stage and
window of the next one; the best value so far, its move, and what the first is expected to be worth
(``NO_GUESS``: every move is searched in an open window); the last depth of the call, and whether
windows stay open."""
ROOT_WORDS: Final = 11
NO_GUESS: Final = INFINITY
M_STORE, M_LEAD, M_SIGN, M_VALUE, M_IS_VALUED, M_RANK, M_LOW, M_HIGH = range(8)
"""Of a move: the store of who is to move after it; the difference of stores for the root's mover,
units; 1 when that one sows again, -1 when the other side moves, 0 when the game is over; and the
value found for the root's mover, units; whether there is one; and, for the order of the next
iteration, a rank (the lowest first) and bounds of the value, units."""
MOVE_WORDS: Final = 8
ASKED_NEVER, ASKED_ONCE, ASKED_TWICE = range(3)
RANK_AT: Final = 32
NO_VALUE: Final = 1 << 40
"""Value of a choice that found none."""


class Root(NamedTuple):
    """The moves of a board, and how far the iteration has come."""

    positions: Words
    """u64[16 * 4]: the position after each move."""
    moves: Numbers
    """i64[16 * 8]: what is known of each move, see ``M_STORE``."""
    order: Numbers
    """i64[16]: numbers of the moves as they are to be searched."""
    control: Numbers
    """i64[11]: see ``R_DEPTH``."""


def root() -> Root:
    return Root(
        positions=np.zeros(MOST_MOVES * POSITION_WORDS, dtype=np.uint64),
        moves=np.zeros(MOST_MOVES * MOVE_WORDS, dtype=np.int64),
        order=np.zeros(MOST_MOVES, dtype=np.int64),
        control=np.zeros(ROOT_WORDS, dtype=np.int64),
    )


@kernel
def open_root(v: Variant, r: Root, position: Words, stores: tuple[int, int]) -> None:
    """Fill in the moves of a position (u64[4]) with both stores, the mover's first.

    The next iteration is the first; of the control words it lacks ``R_DEEPEST`` and ``R_OPEN``.
    """
    move: Int = 0
    for pit in range(v.pits):
        if hand_at(position, U0, pit) == U0:
            continue
        first, at = POSITION_WORDS * move, MOVE_WORDS * move
        after = r.positions[first : first + POSITION_WORDS]
        for word in range(POSITION_WORDS):
            after[word] = position[word]
        both = r.moves[at : at + 2]
        both[0], both[1] = stores[0], stores[1]
        kind = play(v, after, both, pit)
        mine, theirs = both[0], both[1]
        if kind == PASSES:
            turn(after, U0)
        r.moves[at + M_STORE] = theirs if kind == PASSES else mine
        r.moves[at + M_SIGN] = 0 if kind == OVER else -1 if kind == PASSES else 1
        lead, left = UNIT * (mine - theirs), UNIT * seeds_of(after, U0)
        if kind == OVER:
            left = 0
        r.moves[at + M_LEAD] = lead
        r.moves[at + M_VALUE] = r.moves[at + M_IS_VALUED] = r.moves[at + M_RANK] = 0
        r.moves[at + M_LOW], r.moves[at + M_HIGH] = lead - left, lead + left
        move += 1
    r.control[R_DEPTH] = -1
    r.control[R_STAGE] = r.control[R_BEST] = 0
    r.control[R_COUNT] = r.control[R_CURSOR] = move


@inlined
def order_key(r: Root, move: Int) -> Int:
    """Return what a move is ordered by, the least first: rank, being the best so far, value."""
    at = MOVE_WORDS * move
    value = min(max(r.moves[at + M_VALUE], r.moves[at + M_LOW]), r.moves[at + M_HIGH])
    behind = np.int64(move != r.control[R_BEST])
    return ((2 * r.moves[at + M_RANK] + behind) << RANK_AT) - value


@inlined
def next_iteration(r: Root) -> None:
    """Set up the iteration one ply deeper."""
    control = r.control
    for move in range(control[R_COUNT]):
        key, place = order_key(r, move), move
        while place > 0 and order_key(r, r.order[place - 1]) > key:
            r.order[place] = r.order[place - 1]
            place -= 1
        r.order[place] = move
    control[R_DEPTH] += 1
    control[R_CURSOR] = 0
    control[R_ALPHA] = -INFINITY
    control[R_GUESS] = r.moves[MOVE_WORDS * r.order[0] + M_VALUE]
    if control[R_OPEN] != 0 or control[R_DEPTH] == 0:
        control[R_GUESS] = NO_GUESS


@inlined
def ask(s: Search, r: Root, move: int, low: int, high: int) -> None:
    """Begin the search of a move in a window; value and window are the root's mover's."""
    control, at = r.control, MOVE_WORDS * move
    control[R_LOW], control[R_HIGH] = low, high
    control[R_STAGE] += 1
    lead, sign = r.moves[at + M_LEAD], r.moves[at + M_SIGN]
    first = POSITION_WORDS * move
    alpha, beta = (low - lead, high - lead) if sign > 0 else (lead - high, lead - low)
    goal = (control[R_DEPTH], alpha, beta)
    begin(s, r.positions[first : first + POSITION_WORDS], r.moves[at + M_STORE], goal)


@inlined
def bar(r: Root, move: int) -> Int:
    """Return the value above which a move takes the place of the best so far."""
    alpha = r.control[R_ALPHA]
    return alpha if r.moves[MOVE_WORDS * move + M_LOW] > alpha else alpha + LEAD


@inlined
def ask_first(s: Search, r: Root, move: int) -> None:
    """Begin the first search of a move."""
    alpha, guess = r.control[R_ALPHA], r.control[R_GUESS]
    if guess == NO_GUESS:
        ask(s, r, move, -INFINITY, INFINITY)
    elif alpha == -INFINITY:
        ask(s, r, move, guess - ASPIRATION, guess + ASPIRATION)
    else:
        ask(s, r, move, bar(r, move), bar(r, move) + 1)


@inlined
def settle(s: Search, r: Root, move: int, value: int) -> None:
    """Keep the value of a move, or search it once more if it lies outside of the window."""
    control = r.control
    low, high = control[R_LOW], control[R_HIGH]
    if control[R_STAGE] == ASKED_ONCE:
        if value >= high:
            ask(s, r, move, high - 1, INFINITY)
            return
        if value <= low and control[R_ALPHA] == -INFINITY:
            ask(s, r, move, -INFINITY, low + 1)
            return
    if control[R_GUESS] != NO_GUESS and value <= bar(r, move):
        value = min(value, control[R_ALPHA])
    r.moves[MOVE_WORDS * move + M_VALUE] = value
    r.moves[MOVE_WORDS * move + M_IS_VALUED] = 1
    if value > control[R_ALPHA]:
        control[R_ALPHA] = value
        control[R_BEST] = move
    control[R_CURSOR] += 1
    control[R_STAGE] = ASKED_NEVER


@kernel
def search_root(s: Search, r: Root, budget: int) -> Int:
    """Search the moves of a root, ever deeper, for at most ``budget`` nodes.

    DONE after the last iteration that is asked for or fits in, else PAUSED or TOO_DEEP, as ``run``
    does.
    """
    control = r.control
    limit = s.stack.control[C_NODES] + budget
    while True:
        if control[R_CURSOR] == control[R_COUNT]:
            spent = s.stack.control[C_NODES] >= limit or s.stack.control[C_STOP] != 0
            if spent or control[R_DEPTH] >= control[R_DEEPEST]:
                return DONE
            next_iteration(r)
        move = r.order[control[R_CURSOR]]
        at = MOVE_WORDS * move
        if control[R_STAGE] == ASKED_NEVER:
            ask_first(s, r, move)
        value = r.moves[at + M_LEAD]
        if r.moves[at + M_SIGN] != 0:
            status = estimate(s, limit - s.stack.control[C_NODES])
            if status != DONE:
                return status
            value += r.moves[at + M_SIGN] * s.stack.ints[F_BEST]
        settle(s, r, move, value)


def run(s: Search, budget: int) -> int:
    """Search frame 0 from where the stack stands, for at most ``budget`` nodes.

    DONE when the frame has its value, PAUSED when the budget is spent or the stop flag is set,
    TOO_DEEP when a line is longer than the stack.
    """
    if s.stack.ints[F_DEPTH] == PROOF:
        return int(prove(s, budget))
    asked = root()
    asked.moves[M_SIGN] = 1
    asked.control[R_COUNT], asked.control[R_STAGE] = 1, ASKED_TWICE
    return int(search_root(s, asked, budget))


@inlined
def search_pit(s: Search, position: Words, store: int, fallback: int) -> Int:
    """Return the best pit of frame 0, else of the table, if the mover may sow it."""
    pit = s.stack.ints[F_BEST_PIT]
    if pit != NO_PIT and hand_at(position, U0, pit) != U0:
        return pit
    pit = lookup(s, position, store, np.int64(0))[2]
    return pit if pit != NO_PIT and hand_at(position, U0, pit) != U0 else fallback


@kernel
def best_by_nodes(
    s: Search, position: Words, store: int, limit: tuple[int, int]
) -> tuple[Int, Int, Int]:
    """Deepen the search of a position, for at most ``limit`` = (depth, nodes).

    ``store`` is the mover's; of the control words ``C_TOTAL_SEEDS`` is set. Returned are the pit,
    the last depth that was finished, and the value-to-go by it, in units; NO_VALUE for none. The
    pit is -1 when a line of the game outgrows the stack. Before a depth is finished, the greatest
    gain seen so far beats an arbitrary pit. Where a depth takes one node, the root is settled, and
    a deeper one finds nothing new.
    """
    deepest, nodes = limit
    control = s.stack.control
    control[C_NODES] = 0
    pit: Int = 0
    while hand_at(position, U0, pit) == U0:
        pit += 1
    depth: Int = 0
    value: Int = NO_VALUE
    for deeper in range(1, deepest + 1):
        before = control[C_NODES]
        if before >= nodes:
            break
        begin(s, position, store, (deeper, -INFINITY, INFINITY))
        status = estimate(s, nodes - before)
        if status == TOO_DEEP:
            return -1, depth, value
        if status != DONE:
            if deeper == 1:
                pit = search_pit(s, position, store, pit)
            break
        depth, value = deeper, s.stack.ints[F_BEST]
        pit = search_pit(s, position, store, pit)
        if control[C_NODES] <= before + 1:
            break
    return pit, depth, value
