"""A board as a learner sees it."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from mancala.protocol.rules import MAX_SEEDS_IN_ALL, SWAP, Board, Rules

Seeds = NDArray[np.int16]
Mask = NDArray[np.int8]


def view(board: Board, player: int) -> Seeds:
    """Return a board from a player's side.

    Returns:
        i16[2, pits + 1]: the player's pits in sowing direction and store, then the other's.
    """
    rows = [(*board.pits[seat], board.stores[seat]) for seat in (player, 1 - player)]
    return np.array(rows, dtype=np.int16)


def mask(board: Board, player: int, rules: Rules) -> Mask:
    """Return what a player may do now.

    Args:
        board: the position.
        player: the player.
        rules: those that the game began with.

    Returns:
        i8[actions]: 1 for each legal action; all 0 when it is not the player's turn.
    """
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
    """Return the move that an action stands for."""
    return SWAP if rules.pie and action == rules.pits else action


def seeds_space(rules: Rules) -> spaces.Space[Any]:
    """Return the space of :func:`view`."""
    return spaces.Box(0, MAX_SEEDS_IN_ALL, (2, rules.pits + 1), np.int16)


def mask_space(rules: Rules) -> spaces.Space[Any]:
    """Return the space of action masks: one number an action, 1 where it is legal."""
    return spaces.Box(0, 1, (actions(rules),), np.int8)


def pits_space(rules: Rules) -> spaces.Space[Any]:
    """Return the space of actions: a pit, counted in the mover's sowing direction, or a swap."""
    return spaces.Discrete(actions(rules))
