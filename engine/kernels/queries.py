"""Questions about single positions that need no search: table contents, lines, evaluations."""

import numpy as np

from .compiler import Flag, Int, kernel
from .evaluation import evaluate, unbounded
from .layout import (
    INFINITY,
    NO_PIT,
    POSITION_WORDS,
    U0,
    U1,
    U2,
    U3,
    UNIT,
    Numbers,
    Shorts,
    Words,
    hand_at,
    seeds_of,
    turn,
)
from .sowing import OVER, PASSES, play
from .state import Search, Variant
from .tablebase import table_at
from .threats import shared_threats, threats
from .tt import bucket_of, entry_bounds, entry_pit, mixed_key, own_key, tt_probe


@kernel
def lookup(s: Search, position: Words, store: int, depth: Int) -> tuple[Int, Int, Int]:
    """Return what the tables hold for a position: lower and upper bound in units, best pit."""
    seeds = seeds_of(position, U0)
    if seeds <= s.tables.seeds:
        value = UNIT * table_at(s.variant, s.tables, position[0], position[1])
        return value, value, NO_PIT
    a = own_key(s.variant, position, U0, store)
    h = mixed_key(s.variant, position, U0, a)
    data = tt_probe(s.entries, bucket_of(h, s.bits), a, h)
    lower, upper = entry_bounds(data, depth) if data != U0 else (-INFINITY, INFINITY)
    return max(lower, -seeds * UNIT), min(upper, seeds * UNIT), entry_pit(data) if data else NO_PIT


@kernel
def follow(s: Search, position: Words, stores: Numbers, pits: Numbers) -> Int:
    """Follow the best pits that the table holds, the principal variation; return their number.

    The position (u64[4]) and its stores (i64[2]), the mover's first, are changed in place. The
    first of ``pits`` is given; it takes as many more as it has room for.
    """
    count = 0
    while True:
        after = play(s.variant, position, stores, pits[count])
        count += 1
        if after == OVER or count == pits.size:
            break
        if after == PASSES:
            turn(position, U0)
            stores[0], stores[1] = stores[1], stores[0]
        pit = lookup(s, position, stores[0], np.int64(0))[2]
        if pit == NO_PIT or hand_at(position, U0, pit) == U0:
            break
        pits[count] = pit
    return count


@kernel
def static_value(s: Search, position: Words) -> Int:
    """Return the evaluation of a position without a search, in units."""
    return evaluate(s.variant, s.weights, position, U0)


@kernel
def estimates_of(v: Variant, w: Shorts, positions: Words, values: Numbers) -> None:
    """Evaluate positions (u64[4 n]), whatever the seeds in play: i64[n], in units."""
    for number in range(values.size):
        values[number] = unbounded(v, w, positions, np.uint64(number * POSITION_WORDS))


@kernel
def count_threats(v: Variant, shared: Flag, positions: Words, counts: Numbers) -> None:
    """Count the threats of positions (u64[4 n]) as one of the nets has them: i64[6 n].

    ``shared`` asks for those of the net for any width, which a wide variant needs.
    """
    pits = np.uint64(v.pits)
    for number in range(counts.size // 6):
        at, first = np.uint64(number * POSITION_WORDS), np.uint64(number * 6)
        me, you = positions[at], positions[at + U1]
        me2, you2 = positions[at + U2], positions[at + U3]
        if shared:
            mine = shared_threats(pits, me, me2, you, you2)
            theirs = shared_threats(pits, you, you2, me, me2)
        else:
            mine, theirs = threats(v, me, you), threats(v, you, me)
        for place in range(3):
            counts[first + np.uint64(place)] = mine[place]
            counts[first + np.uint64(place + 3)] = theirs[place]
