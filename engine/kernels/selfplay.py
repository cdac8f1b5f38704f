"""Many games under way, of which both sides are played from outside; for learners by self-play.

A step sows one pit in each game that is asked for. Each game is shown from the side of the player
to move. Openings are drawn in compiled code, so that a game that ends costs no call from Python.
"""

import numpy as np

from .choosers import store_of, swept_lead
from .compiler import Int, inlined, kernel
from .layout import U0, Bytes, Numbers, Shorts, Words, hand_in, row_sum
from .sowing import sow
from .splitmix import below
from .state import ExactTables, Variant
from .steps import RUNNING, GameArrays, show, sow_pit
from .tablebase import table_at


@kernel
def deal_games(v: Variant, games: GameArrays, openings: Words, which: Numbers) -> None:
    """Begin the games ``which`` anew, each from an opening that its generator draws.

    Of each opening ``openings`` (u64[3 * n]) has both sides with their stores, and the mover.
    """
    for at in range(which.size):
        game = which[at]
        opening = 3 * below(games.draws, game, openings.size // 3)
        games.sides[2 * game] = openings[opening]
        games.sides[2 * game + 1] = openings[opening + 1]
        games.movers[game] = np.int64(openings[opening + 2])
        games.states[game] = RUNNING
        show(v, games, game, games.movers[game])


@kernel
def sow_games(v: Variant, games: GameArrays, which: Numbers, pits: Numbers) -> None:
    """Sow a pit in each running game of ``which``, for its mover; ``pits`` is of all games."""
    for at in range(which.size):
        game = which[at]
        if games.states[game] == RUNNING:
            sow_pit(v, games, game, pits[game])
            show(v, games, game, games.movers[game])


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
    v: Variant, t: ExactTables, games: GameArrays, values: Shorts, known: Bytes
) -> None:
    """Look up what each move of the running games is worth; without majority.

    ``values`` (i16[games * pits]) takes the store difference at the end for the mover, 0 where a
    pit may not be sown; ``known`` (i8[games]) takes 1 where the tables cover the game.
    """
    for game in range(known.size):
        mover = games.movers[game]
        me, you = games.sides[2 * game + mover], games.sides[2 * game + 1 - mover]
        seeds = np.int64(row_sum(me & v.row) + row_sum(you & v.row))
        known[game] = games.states[game] == RUNNING and seeds <= t.seeds
        for pit in range(v.pits):
            hand = hand_in(me, pit)
            value: Int = 0
            if known[game] != 0 and hand != U0:
                own, other, again = sow(v, me, you, np.uint64(pit), hand)
                value = value_after(v, t, own, other, again)
            values[v.pits * game + pit] = value
