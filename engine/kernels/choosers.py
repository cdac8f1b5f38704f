"""The textbook players of compiled games: what they are made of, and boards as they see them.

`mancala.engine.classics` has the players in plain Python, to be read; their kernels (`turns`,
`trees`) make the same choices, for games by the thousand.

A board here is two words with the store in lane ``m``, the mover's first.
"""

from typing import Final, NamedTuple

import numpy as np

from .compiler import Flag, Int, inlined
from .layout import BYTE, U0, Numbers, Words, hand_in, row_sum
from .sowing import is_over, narrow_row, sow
from .state import Variant

RANDOM, GREEDY, CAPTURES, DEFEND, MINIMAX, ALPHABETA, FIXED_NODES = range(7)
"""Kinds of players; the last one is played by :mod:`mancala.engine.kernels.games`."""
STORES, SIDE = range(2)
"""Evaluations, as in ``engine/classics/evaluation.py``."""
BEST_FIRST, UNORDERED, WORST_FIRST = range(3)
"""Orders of alpha-beta's moves."""
FRAMES: Final = 512
"""Frames of a walk. Each re-turn puts a seed into a store, so a line of 64 turns has at most 255
re-turns; nothing else makes it longer."""
FRAME: Final = 8
CURSOR, BEST, DEPTH, ALPHA, BETA, AGAIN, GAIN = range(7)
"""Numbers of a frame: the next pit of a turn, or the promise of the move a tree walks; the best
value yet; depth and window; whether the move below sows again, and what it gains."""
MEMO_BITS: Final = 12
MEMO_WORDS: Final = 4 << MEMO_BITS


class Chooser(NamedTuple):
    """A player of a compiled game."""

    kind: int
    depth: int
    """Turns that a tree player looks ahead; plies of a fixed-node search."""
    evaluation: int
    order: int
    nodes: int
    """Positions a move of a fixed-node search."""
    visited: Numbers
    """i64[1]: positions that the last choice visited."""
    memo: Words
    """u64[2 ** 12 * 4]: turns looked through before, as own word, other word, 1 + kind, rating."""
    draws: Words
    """u64[games]: the state of each game's generator of ties; see `splitmix`."""
    words: Words
    """u64[4 * FRAMES]: frames of a tree or of a turn, then of the opponent's turn: two words of a
    position each."""
    ints: Numbers
    """i64[16 * FRAMES]: the same frames, eight numbers each; see ``CURSOR``."""
    position: Words
    """u64[4]: what a fixed-node search is asked about."""


@inlined
def store_of(v: Variant, word: np.uint64) -> Int:
    return np.int64((word >> v.store) & BYTE)


@inlined
def swept_stores(v: Variant, me: np.uint64, you: np.uint64) -> tuple[Int, Int]:
    """Return both stores, with what is left swept when a row is empty."""
    mine, theirs = store_of(v, me), store_of(v, you)
    if me & v.row == U0 or you & v.row == U0:
        left, other = np.int64(row_sum(me & v.row)), np.int64(row_sum(you & v.row))
        mine += other if v.empty_takes else left
        theirs += left if v.empty_takes else other
    return mine, theirs


@inlined
def swept_lead(v: Variant, me: np.uint64, you: np.uint64) -> Int:
    """Return the difference of the stores, with what is left swept when a row is empty."""
    mine, theirs = swept_stores(v, me, you)
    return mine - theirs


@inlined
def play_pit(
    v: Variant, me: np.uint64, you: np.uint64, half: np.uint64, pit: int
) -> tuple[np.uint64, np.uint64, Flag, Flag]:
    """Return both words after a sowing, whether the game is over, and whether the mover is next."""
    own, other, again = sow(v, me, you, np.uint64(pit), hand_in(me, pit))
    over = is_over(v, own, other, half)
    return own, other, over, again != U0 and not over


@inlined
def captured_by(v: Variant, me: np.uint64, own: np.uint64, pit: int) -> Int:
    """Return the seeds that a sowing captured, the last one sown included."""
    row = narrow_row(hand_in(me, pit), np.uint64(pit))
    more = own - (me + v.sowing[row])
    # A capture added taken + 1 to the store's lane and took 1 from a lower one, which borrows.
    return 0 if more == U0 else np.int64(more >> v.store) + 1
