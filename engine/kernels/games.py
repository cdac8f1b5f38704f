"""Whole games between two compiled players, by the hundred in one call.

Two kernels play the same loop: `play_classics` where both players are textbook players, and
`play_games` where one searches a fixed number of nodes, so that games without a search do not
compile one. What a game was is written to flat arrays; `mancala.engine.batches.games` makes sense
of them.
"""

import time
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from .choosers import FIXED_NODES, MINIMAX, Chooser, store_of, swept_stores
from .compiler import Int, clock_ns, inlined, kernel
from .frames import C_NODES, C_TOTAL_SEEDS
from .layout import U0, U1, UNIT, Numbers, Words, hand_in, row_sum
from .root import NO_VALUE, best_by_nodes
from .sowing import is_over, sow
from .splitmix import below
from .state import Search, Variant
from .trees import MOST_VISITED, best_tree_pits
from .turns import best_strategy_pits

CLOCK: Final = time.CLOCK_MONOTONIC
PITS_LOG2: Final = 4
PIT_MASK: Final = 15
"""A move is ``16 * mover + pit``."""


class PlayedBatch(NamedTuple):
    """The games of a batch, one move after the other."""

    moves: Numbers
    """i64[room]: ``16 * mover + pit``."""
    taken: Numbers
    """i64[room]: nanoseconds from the question to the answer."""
    depths: Numbers
    """i64[room]: the depth of the search; written by players that search, as are the next two."""
    values: Numbers
    """i64[room]: the value found, for the mover, in units; NO_VALUE for none."""
    nodes: Numbers
    """i64[room]: positions visited."""
    ends: Numbers
    """i64[games]: where each game's moves end."""
    stores: Numbers
    """i64[2 * games]: both players' stores at the end, what is left swept."""


class Deal(NamedTuple):
    """What the games of a batch begin with."""

    openings: Words
    """u64[3 * games]: player 0's word with the store in lane ``m``, player 1's, and the mover.
    No game may be over."""
    seeds: Words
    """u64[2 * games]: what each player's random choices follow from, in seat order."""


Searches: TypeAlias = "tuple[Search, Search] | None"
"""What each player searches with; None where no player searches, so that no search is compiled."""


@inlined
def chosen_bit(bits: np.uint64, number: int) -> Int:
    """Return the place of a set bit, counted from the lowest."""
    pit: Int = 0
    while True:
        if bits & U1 != U0:
            if number == 0:
                return pit
            number -= 1
        bits >>= U1
        pit += 1


@inlined
def count_bits(bits: np.uint64) -> Int:
    count: Int = 0
    while bits != U0:
        bits &= bits - U1
        count += 1
    return count


@inlined
def choose_classic(
    v: Variant, c: Chooser, game: int, sides: tuple[np.uint64, np.uint64, np.uint64]
) -> tuple[Int, Int, Int, Int]:
    """Return pit, depth, value (none) and positions visited of a textbook player's choice.

    The pit is -1 where it visits too many positions. ``game`` is the number of the generator that
    breaks ties, ``sides`` = (me, you, half).
    """
    me, you, half = sides
    if c.kind < MINIMAX:
        best = best_strategy_pits(v, c, me, you, half)
    else:
        best = best_tree_pits(v, c, me, you, half)
        if c.visited[0] > MOST_VISITED:
            return -1, c.depth, NO_VALUE, c.visited[0]
    pit = chosen_bit(best, below(c.draws, game, count_bits(best)))
    return pit, c.depth, NO_VALUE, c.visited[0]


@inlined
def choose_by_nodes(
    v: Variant, c: Chooser, s: Search, me: np.uint64, you: np.uint64
) -> tuple[Int, Int, Int, Int]:
    """Return pit, depth, value and nodes, as `mancala.engine.search.fixed_nodes` does."""
    c.position[0], c.position[1] = me & v.row, you & v.row
    s.stack.control[C_TOTAL_SEEDS] = np.int64(row_sum(me) + row_sum(you))
    pit, depth, value = best_by_nodes(s, c.position, store_of(v, me), (c.depth, c.nodes))
    if value != NO_VALUE:
        value += UNIT * (store_of(v, me) - store_of(v, you))
    return pit, depth, value, s.stack.control[C_NODES]


@inlined
def forget(c: Chooser, s: Search) -> None:
    """Clear what a fixed-node search knows of the last game."""
    if c.kind == FIXED_NODES:
        s.entries[:] = U0
        s.busy[:] = U0


@inlined
def choose(
    v: Variant,
    players: tuple[Chooser, Chooser],
    searches: Searches,
    sides: tuple[np.uint64, np.uint64, np.uint64],
    mover: int,
) -> tuple[Int, Int, Int, Int]:
    """Return pit, depth, value and nodes of the mover's choice on ``sides`` = (me, you, half)."""
    me, you, _ = sides
    c = players[0] if mover == 0 else players[1]
    if searches is None:
        return choose_classic(v, c, 0, sides)
    if c.kind != FIXED_NODES:
        return choose_classic(v, c, 0, sides)
    return choose_by_nodes(v, c, searches[0] if mover == 0 else searches[1], me, you)


@inlined
def finish(v: Variant, played: PlayedBatch, game: int, south: np.uint64, north: np.uint64) -> None:
    played.stores[2 * game], played.stores[2 * game + 1] = swept_stores(v, south, north)


@inlined
def play_all(
    v: Variant,
    players: tuple[Chooser, Chooser],
    searches: Searches,
    deal: Deal,
    played: PlayedBatch,
) -> Int:
    """Play games as :func:`play_games` does; without searches where ``searches`` is None."""
    at: Int = 0
    for game in range(played.ends.size):
        players[0].draws[0], players[1].draws[0] = deal.seeds[2 * game], deal.seeds[2 * game + 1]
        if searches is not None:
            forget(players[0], searches[0])
            forget(players[1], searches[1])
        mover: Int = np.int64(deal.openings[3 * game + 2])
        me, you = deal.openings[3 * game + mover], deal.openings[3 * game + 1 - mover]
        half = (row_sum(me) + row_sum(you)) >> U1
        while not is_over(v, me, you, half):
            if at == played.moves.size:
                return game
            began = clock_ns(CLOCK)
            pit, depth, value, nodes = choose(v, players, searches, (me, you, half), mover)
            if pit < 0:
                return game
            played.moves[at] = (mover << PITS_LOG2) | pit
            played.depths[at], played.values[at], played.nodes[at] = depth, value, nodes
            played.taken[at] = clock_ns(CLOCK) - began
            at += 1
            own, other, again = sow(v, me, you, np.uint64(pit), hand_in(me, pit))
            if again != U0:
                me, you = own, other
            else:
                me, you, mover = other, own, 1 - mover
        finish(v, played, game, me if mover == 0 else you, you if mover == 0 else me)
        played.ends[game] = at
    return played.ends.size


@kernel
def play_classics(
    v: Variant, players: tuple[Chooser, Chooser], deal: Deal, played: PlayedBatch
) -> Int:
    """Play games between two textbook players; `play_games` says how."""
    return play_all(v, players, None, deal, played)


@kernel
def play_games(
    v: Variant,
    players: tuple[Chooser, Chooser],
    searches: tuple[Search, Search],
    deal: Deal,
    played: PlayedBatch,
) -> Int:
    """Play games between two players, of whom one or both search a fixed number of nodes.

    The rules are narrow, the players in seat order; the search of a textbook player is not used.
    The number of games played to their end, from the first, is less than asked for when ``played``
    is full, or when a choice of the next game visits too many positions, or a line of it outgrows
    the stack.
    """
    return play_all(v, players, searches, deal, played)
