"""Many games under way, of which both sides are played from outside; for learners by self-play.

A step sows one pit in each game that is asked for. Each game is shown from the side of the player
to move. Openings are drawn in compiled code, by a generator of 64 bits for each game (splitmix64:
Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014), so that a game
that ends costs no call from Python.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from .choosers import hand_in, store_of, swept_lead
from .compiler import Int, inlined, kernel
from .layout import BYTE, LANE_LOG2, U0, U1, Bytes, Numbers, Shorts, Words, row_sum
from .sowing import is_over, sow
from .state import ExactTables, Variant
from .steps import ILLEGAL, OVER, RUNNING, show_sides
from .tablebase import table_at

GAMMA: Final = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR: Final = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR: Final = np.uint64(0x94D049BB133111EB)
FIRST_SHIFT: Final = np.uint64(30)
SECOND_SHIFT: Final = np.uint64(27)
THIRD_SHIFT: Final = np.uint64(31)


class BothSides(NamedTuple):
    """The games under way."""

    sides: Words
    """u64[2 * games]: player 0's word with its store in lane ``m``, then player 1's."""
    movers: Numbers
    """i64[games]: the player to move; where a game is over, the one that moved last."""
    states: Numbers
    """i64[games]: ``RUNNING``, ``OVER``, or ``ILLEGAL`` where the mover lost by an illegal pit."""
    seen: Shorts
    """i16[games * 2 * (pits + 1)]: the mover's pits and store, then the other player's."""
    masks: Bytes
    """i8[games * pits]: 1 for each pit that the mover may sow."""
    margins: Numbers
    """i64[games]: the mover's store less the other's, in seeds; final where a game is over."""
    draws: Words
    """u64[games]: the state of each game's generator."""


@inlined
def draw(fields: BothSides, game: int) -> np.uint64:
    """Return the next number of a game's generator."""
    fields.draws[game] += GAMMA
    mixed: np.uint64 = fields.draws[game]
    mixed = (mixed ^ (mixed >> FIRST_SHIFT)) * FIRST_FACTOR
    mixed = (mixed ^ (mixed >> SECOND_SHIFT)) * SECOND_FACTOR
    return mixed ^ (mixed >> THIRD_SHIFT)


@inlined
def show_mover(v: Variant, fields: BothSides, game: int) -> None:
    """Write what the mover sees of a game."""
    mover = fields.movers[game]
    show_sides(v, fields, game, fields.sides[2 * game + mover], fields.sides[2 * game + 1 - mover])


@kernel
def deal_games(v: Variant, fields: BothSides, openings: Words, which: Numbers) -> None:
    """Begin games anew, each from an opening that its generator draws.

    Args:
        v: the rules; narrow.
        fields: the games.
        openings: u64[3 * n]: both sides with their stores, and the mover, of each opening.
        which: i64[…], the numbers of the games.
    """
    count = np.uint64(openings.size // 3)
    for at in range(which.size):
        game = which[at]
        opening = 3 * np.int64(draw(fields, game) % count)
        fields.sides[2 * game] = openings[opening]
        fields.sides[2 * game + 1] = openings[opening + 1]
        fields.movers[game] = np.int64(openings[opening + 2])
        fields.states[game] = RUNNING
        show_mover(v, fields, game)


@kernel
def sow_games(v: Variant, fields: BothSides, which: Numbers, pits: Numbers) -> None:
    """Sow a pit in each of the games ``which``, for the player to move; ``pits`` is of all games.

    A game that is not running stays as it is.
    """
    for at in range(which.size):
        game = which[at]
        if fields.states[game] != RUNNING:
            continue
        mover, pit = fields.movers[game], pits[game]
        me, you = fields.sides[2 * game + mover], fields.sides[2 * game + 1 - mover]
        if not 0 <= pit < v.pits or (me >> (np.uint64(pit) << LANE_LOG2)) & BYTE == U0:
            fields.states[game] = ILLEGAL
            show_mover(v, fields, game)
            continue
        half = (row_sum(me) + row_sum(you)) >> U1
        me, you, again = sow(v, me, you, np.uint64(pit), hand_in(me, pit))
        fields.sides[2 * game + mover], fields.sides[2 * game + 1 - mover] = me, you
        if is_over(v, me, you, half):
            fields.states[game] = OVER
        elif again == U0:
            fields.movers[game] = 1 - mover
        show_mover(v, fields, game)


@inlined
def value_after(
    v: Variant, t: ExactTables, own: np.uint64, other: np.uint64, again: np.uint64
) -> Int:
    """Return the store difference at the end of a game, for the player who has just sown."""
    me, you = own & v.row, other & v.row
    if not (me and you):
        return swept_lead(v, own, other)
    ahead = store_of(v, own) - store_of(v, other)
    return ahead + (table_at(v, t, me, you) if again != U0 else -table_at(v, t, you, me))


@kernel
def value_moves(
    v: Variant, t: ExactTables, fields: BothSides, values: Shorts, known: Bytes
) -> None:
    """Look up what each move of the running games is worth.

    Args:
        v: the rules; narrow, without majority.
        t: endgame tables.
        fields: the games.
        values: i16[games * pits]: takes the store difference at the end for the mover; 0 where a
            pit may not be sown.
        known: i8[games]: takes 1 where the tables cover the game.
    """
    for game in range(known.size):
        mover = fields.movers[game]
        me, you = fields.sides[2 * game + mover], fields.sides[2 * game + 1 - mover]
        seeds = np.int64(row_sum(me & v.row) + row_sum(you & v.row))
        known[game] = fields.states[game] == RUNNING and seeds <= t.seeds
        for pit in range(v.pits):
            hand = hand_in(me, pit)
            value: Int = 0
            if known[game] != 0 and hand != U0:
                own, other, again = sow(v, me, you, np.uint64(pit), hand)
                value = value_after(v, t, own, other, again)
            values[v.pits * game + pit] = value
