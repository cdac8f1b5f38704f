"""The root: the moves of one board, searched to a depth against each other in one call.

An iteration of the deepening asks some ten questions of a few dozen to a few thousand nodes each.
From Python every question would cost as much as thirty nodes, a quarter of a search of 10 ms. The
kernel asks them itself: the first move in a window about the value of the last iteration
(aspiration), the others with a null window against the best so far, and again with an open side
where the value falls outside. A pause keeps its place in `Root`, and the same call resumes it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from .compiler import Int, inlined, kernel
from .frames import C_NODES, DONE, F_BEST, F_BEST_PIT, F_DEPTH, TOO_DEEP
from .layout import INFINITY, NO_PIT, POSITION_WORDS, PROOF, U0, UNIT, Numbers, Words, hand_at
from .queries import lookup
from .search import begin, estimate, prove
from .state import Search

MOST_MOVES: Final = 16
ASPIRATION: Final = 4 * UNIT
"""Half of the window, about the last iteration's value, in which the first move is searched."""
R_DEPTH, R_COUNT, R_CURSOR, R_STAGE, R_LOW, R_HIGH, R_ALPHA, R_BEST, R_GUESS = range(9)
"""Control words: plies to search after each move; moves to search and how many are done; stage and
window of the next one; the best value so far, its move, and what the first is expected to be worth
(``NO_GUESS``: every move is searched in an open window)."""
ROOT_WORDS: Final = 9
NO_GUESS: Final = INFINITY
M_STORE, M_LEAD, M_SIGN, M_VALUE = range(4)
"""Of a move: the store of who is to move after it; the difference of stores for the root's mover,
units; 1 when that one sows again, -1 when the other side moves, 0 when the game is over; and the
value found for the root's mover, units."""
MOVE_WORDS: Final = 4
ASKED_NEVER, ASKED_ONCE, ASKED_TWICE = range(3)
NO_VALUE: Final = 1 << 40
"""Value of a choice that found none."""


class Root(NamedTuple):
    """The moves of a board, and how far the iteration has come."""

    positions: Words
    """u64[16 * 4]: the position after each move."""
    moves: Numbers
    """i64[16 * 4]: what is known of each move, see ``M_STORE``."""
    order: Numbers
    """i64[16]: numbers of the moves as they are to be searched."""
    control: Numbers
    """i64[9]: see ``R_DEPTH``."""


def root() -> Root:
    """Allocate a root."""
    return Root(
        positions=np.zeros(MOST_MOVES * POSITION_WORDS, dtype=np.uint64),
        moves=np.zeros(MOST_MOVES * MOVE_WORDS, dtype=np.int64),
        order=np.zeros(MOST_MOVES, dtype=np.int64),
        control=np.zeros(ROOT_WORDS, dtype=np.int64),
    )


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
def ask_first(s: Search, r: Root, move: int) -> None:
    """Begin the first search of a move."""
    alpha, guess = r.control[R_ALPHA], r.control[R_GUESS]
    if guess == NO_GUESS:
        ask(s, r, move, -INFINITY, INFINITY)
    elif alpha == -INFINITY:
        ask(s, r, move, guess - ASPIRATION, guess + ASPIRATION)
    else:
        ask(s, r, move, alpha, alpha + 1)


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
    r.moves[MOVE_WORDS * move + M_VALUE] = value
    if value > control[R_ALPHA]:
        control[R_ALPHA] = value
        control[R_BEST] = move
    control[R_CURSOR] += 1
    control[R_STAGE] = ASKED_NEVER


@kernel
def search_root(s: Search, r: Root, budget: int) -> Int:
    """Search the moves of a root in their order, for at most ``budget`` nodes.

    DONE when all have their values, else PAUSED or TOO_DEEP, as ``run`` does.
    """
    control = r.control
    limit = s.stack.control[C_NODES] + budget
    while control[R_CURSOR] < control[R_COUNT]:
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
    return DONE


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
