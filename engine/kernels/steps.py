"""Many games under way, in each of which a learner moves and a compiled opponent answers.

A step sows the learner's pit in every game, and plays the opponent's sowings until the learner is
to move again or the game is over. What becomes of each game is written to the arrays of `Fields`.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from .choosers import Chooser, hand_in, store_of
from .compiler import inlined, kernel
from .games import choose_by_nodes, choose_classic, forget
from .layout import BYTE, LANE_LOG2, U0, U1, Bytes, Numbers, Shorts, Words, row_sum
from .sowing import is_over, sow
from .state import Search, Variant
from .twister import seed_twister

RUNNING, OVER, ILLEGAL, GAVE_UP = range(4)
"""State of a game: the learner is to move; it is over; the learner lost it by an illegal pit; a
choice of the opponent takes too long."""


class Shown(Protocol):
    """What a player sees of games; see `Fields`."""

    @property
    def states(self) -> Numbers:
        """The state of each game."""

    @property
    def seen(self) -> Shorts:
        """The boards."""

    @property
    def masks(self) -> Bytes:
        """Which pits may be sown."""

    @property
    def margins(self) -> Numbers:
        """By how much the player is ahead."""


class Fields(NamedTuple):
    """The games under way."""

    sides: Words
    """u64[2 * games]: the learner's word with its store in lane ``m``, then the opponent's."""
    turns: Numbers
    """i64[games]: 0 where the learner is to move, 1 where the opponent is."""
    states: Numbers
    """i64[games]: see ``RUNNING``."""
    seen: Shorts
    """i16[games * 2 * (pits + 1)]: the learner's pits and store, then the opponent's."""
    masks: Bytes
    """i8[games * pits]: 1 for each pit that the learner may sow."""
    margins: Numbers
    """i64[games]: the learner's store less the opponent's, in seeds; final where a game is over."""


class Beginning(NamedTuple):
    """The games that begin."""

    which: Numbers
    """i64[n]: their numbers."""
    seeds: Words
    """u64[n]: what the opponent's random choices follow from."""
    start: Words
    """u64[624]: what :func:`mancala.engine.kernels.twister.base` returns."""


@inlined
def show_sides(v: Variant, fields: Shown, game: int, me: np.uint64, you: np.uint64) -> None:
    """Write a game as ``me`` sees it; a row is swept when the other one is empty."""
    stores = store_of(v, me), store_of(v, you)
    swept = me & v.row == U0 or you & v.row == U0
    if swept:
        stores = np.int64(row_sum(me)), np.int64(row_sum(you))
    width = v.pits + 1
    at = 2 * width * game
    for pit in range(v.pits):
        mine, theirs = hand_in(me, pit), hand_in(you, pit)
        fields.seen[at + pit] = 0 if swept else np.int64(mine)
        fields.seen[at + width + pit] = 0 if swept else np.int64(theirs)
        may = mine != U0 and fields.states[game] == RUNNING
        fields.masks[v.pits * game + pit] = 1 if may else 0
    fields.seen[at + v.pits] = stores[0]
    fields.seen[at + width + v.pits] = stores[1]
    fields.margins[game] = stores[0] - stores[1]


@inlined
def show(v: Variant, fields: Fields, game: int) -> None:
    """Write what the learner sees of a game."""
    show_sides(v, fields, game, fields.sides[2 * game], fields.sides[2 * game + 1])


@inlined
def answer(v: Variant, c: Chooser, s: Search | None, fields: Fields, game: int) -> None:
    """Play the opponent's sowings, and write what becomes of the game."""
    me, you = fields.sides[2 * game], fields.sides[2 * game + 1]
    half = (row_sum(me) + row_sum(you)) >> U1
    while fields.turns[game] == 1 and not is_over(v, me, you, half):
        if s is None:
            pit = choose_classic(v, c, game, (you, me, half))[0]
        else:
            forget(c, s)
            pit = choose_by_nodes(v, c, s, you, me)[0]
        if pit < 0:
            fields.states[game] = GAVE_UP
            break
        you, me, again = sow(v, you, me, np.uint64(pit), hand_in(you, pit))
        fields.turns[game] = 1 if again != U0 else 0
    fields.sides[2 * game], fields.sides[2 * game + 1] = me, you
    if is_over(v, me, you, half):
        fields.states[game] = OVER
    show(v, fields, game)


@kernel
def open_games(
    v: Variant,
    c: Chooser,
    s: Search | None,
    fields: Fields,
    begin: Beginning,
) -> None:
    """Begin games whose sides and turns are set; the opponent moves first where it is its turn.

    Args:
        v: the rules; narrow.
        c: the opponent, with a generator for each game.
        s: what it searches with; None for a textbook player, so that no search is compiled.
        fields: the games.
        begin: which games, and their seeds.
    """
    for at in range(begin.which.size):
        game = begin.which[at]
        if s is None:
            seed_twister(c.twister, game, begin.start, begin.seeds[at])
        fields.states[game] = RUNNING
        answer(v, c, s, fields, game)


@kernel
def step_games(v: Variant, c: Chooser, s: Search | None, fields: Fields, pits: Numbers) -> None:
    """Sow a pit in every game that is running, and have the opponent answer."""
    for game in range(fields.turns.size):
        if fields.states[game] != RUNNING:
            continue
        me, you, pit = fields.sides[2 * game], fields.sides[2 * game + 1], pits[game]
        if not 0 <= pit < v.pits or (me >> (np.uint64(pit) << LANE_LOG2)) & BYTE == U0:
            fields.states[game] = ILLEGAL
            show(v, fields, game)
            continue
        me, you, again = sow(v, me, you, np.uint64(pit), hand_in(me, pit))
        fields.sides[2 * game], fields.sides[2 * game + 1] = me, you
        fields.turns[game] = 0 if again != U0 else 1
        answer(v, c, s, fields, game)
