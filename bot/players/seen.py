"""A board as a learner sees it, and which moves its actions stand for."""

import numpy as np
from numpy.typing import NDArray

from mancala.protocol.rules import SWAP, Board, Rules

Seeds = NDArray[np.int16]
Mask = NDArray[np.int8]


def view(board: Board, player: int) -> Seeds:
    """Return a player's pits in sowing direction and store, then the other's: i16[2, pits + 1]."""
    rows = [(*board.pits[seat], board.stores[seat]) for seat in (player, 1 - player)]
    return np.array(rows, dtype=np.int16)


def mask(board: Board, player: int, rules: Rules) -> Mask:
    """Return 1 for each action that a player may take now: i8[actions], by the game's rules."""
    allowed = np.zeros(actions(rules), dtype=np.int8)
    if board.player == player:
        allowed[list(board.legal())] = 1
        if board.may_swap:
            allowed[board.rules.pits] = 1
    return allowed


def actions(rules: Rules) -> int:
    """Return the number of actions: the pits, and under the pie rule the swap after them."""
    return rules.pits + bool(rules.pie)


def move_of(action: int, rules: Rules) -> int:
    return SWAP if rules.pie and action == rules.pits else action
