"""Many games under way, of which one side or both are played from outside.

A step sows one pit in each game. `open_games` and `step_games` have a compiled opponent answer, who
is player 1, until player 0 is to move again or the game is over. What becomes of each game is
written to the arrays of `GameArrays`. `selfplay` has no opponent.
"""

from typing import NamedTuple

import numpy as np

from .choosers import Chooser, swept_stores
from .compiler import inlined, kernel
from .games import choose_by_nodes, choose_classic, forget
from .layout import U0, U1, Bytes, Numbers, Shorts, Words, hand_in, row_sum
from .sowing import is_over, sow
from .state import Search, Variant

RUNNING, OVER, ILLEGAL, GAVE_UP = range(4)
"""State of a game: it goes on; it is over; the mover lost it by an illegal pit; a choice of the
opponent takes too long."""


class GameArrays(NamedTuple):
    sides: Words
    """u64[2 * games]: player 0's word with its store in lane ``m``, then player 1's."""
    movers: Numbers
    """i64[games]: the player to move; where a game is over, the one that moved last."""
    states: Numbers
    """i64[games]: see ``RUNNING``."""
    seen: Shorts
    """i16[games * 2 * (pits + 1)]: pits and store of the player that is shown, then the other's."""
    masks: Bytes
    """i8[games * pits]: 1 for each pit that this player may sow."""
    margins: Numbers
    """i64[games]: its store less the other's, in seeds; final where a game is over."""
    draws: Words
    """u64[games]: the state of each game's generator of openings; only for self-play."""


class Beginning(NamedTuple):
    which: Numbers
    """i64[n]: their numbers."""
    seeds: Words
    """u64[n]: what the opponent's random choices follow from."""


@inlined
def show(v: Variant, games: GameArrays, game: int, player: int) -> None:
    """Write a game as a player sees it; a row is swept when the other one is empty."""
    me, you = games.sides[2 * game + player], games.sides[2 * game + 1 - player]
    swept = me & v.row == U0 or you & v.row == U0
    width = v.pits + 1
    at = 2 * width * game
    for pit in range(v.pits):
        mine, theirs = hand_in(me, pit), hand_in(you, pit)
        games.seen[at + pit] = 0 if swept else np.int64(mine)
        games.seen[at + width + pit] = 0 if swept else np.int64(theirs)
        may = mine != U0 and games.states[game] == RUNNING
        games.masks[v.pits * game + pit] = 1 if may else 0
    own, other = swept_stores(v, me, you)
    games.seen[at + v.pits], games.seen[at + width + v.pits] = own, other
    games.margins[game] = own - other


@inlined
def sow_pit(v: Variant, games: GameArrays, game: int, pit: int) -> None:
    """Sow a pit for the mover of a running game, and write what becomes of it but for the view."""
    mover = games.movers[game]
    me, you = games.sides[2 * game + mover], games.sides[2 * game + 1 - mover]
    if not 0 <= pit < v.pits or hand_in(me, pit) == U0:
        games.states[game] = ILLEGAL
        return
    half = (row_sum(me) + row_sum(you)) >> U1
    me, you, again = sow(v, me, you, np.uint64(pit), hand_in(me, pit))
    games.sides[2 * game + mover], games.sides[2 * game + 1 - mover] = me, you
    if is_over(v, me, you, half):
        games.states[game] = OVER
    elif again == U0:
        games.movers[game] = 1 - mover


@inlined
def answer(v: Variant, c: Chooser, s: Search | None, games: GameArrays, game: int) -> None:
    """Play the opponent's sowings, and show player 0 what becomes of the game."""
    while games.movers[game] == 1 and games.states[game] == RUNNING:
        you, me = games.sides[2 * game], games.sides[2 * game + 1]
        if s is None:
            half = (row_sum(me) + row_sum(you)) >> U1
            pit = choose_classic(v, c, game, (me, you, half))[0]
        else:
            forget(c, s)
            pit = choose_by_nodes(v, c, s, me, you)[0]
        if pit < 0:
            games.states[game] = GAVE_UP
        else:
            sow_pit(v, games, game, pit)
    show(v, games, game, 0)


@kernel
def open_games(
    v: Variant, c: Chooser, s: Search | None, games: GameArrays, begin: Beginning
) -> None:
    """Begin games whose sides and movers are set; the opponent moves first where it is its turn.

    ``v`` is narrow, ``c`` has a generator for each game, and ``s`` is None for a textbook player,
    so that no search is compiled. No game may be over.
    """
    for at in range(begin.which.size):
        game = begin.which[at]
        c.draws[game] = begin.seeds[at]
        games.states[game] = RUNNING
        answer(v, c, s, games, game)


@kernel
def step_games(v: Variant, c: Chooser, s: Search | None, games: GameArrays, pits: Numbers) -> None:
    """Sow a pit in every game that is running, and have the opponent answer."""
    for game in range(games.movers.size):
        if games.states[game] == RUNNING:
            sow_pit(v, games, game, pits[game])
            answer(v, c, s, games, game)
