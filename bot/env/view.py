"""A board as a learner sees it."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from mancala.protocol.rules import MAX_SEEDS_IN_ALL, Board, Rules

Seeds = NDArray[np.int16]
Mask = NDArray[np.int8]


def view(board: Board, player: int) -> Seeds:
    """Return a board from a player's side.

    Returns:
        i16[2, pits + 1]: the player's pits in sowing direction and store, then the other's.
    """
    rows = [(*board.pits[seat], board.stores[seat]) for seat in (player, 1 - player)]
    return np.array(rows, dtype=np.int16)


def mask(board: Board, player: int) -> Mask:
    """Return which pits a player may sow now.

    Returns:
        i8[pits]: 1 for each such pit; all 0 when it is not the player's turn.
    """
    allowed = np.zeros(board.rules.pits, dtype=np.int8)
    if board.player == player:
        allowed[list(board.legal())] = 1
    return allowed


def seeds_space(rules: Rules) -> spaces.Space[Any]:
    """Return the space of :func:`view`."""
    return spaces.Box(0, MAX_SEEDS_IN_ALL, (2, rules.pits + 1), np.int16)


def mask_space(rules: Rules) -> spaces.Space[Any]:
    """Return the space of action masks: one number a pit, 1 where it may be sown."""
    return spaces.Box(0, 1, (rules.pits,), np.int8)


def pits_space(rules: Rules) -> spaces.Space[Any]:
    """Return the space of moves: a pit's number in the mover's own sowing direction."""
    return spaces.Discrete(rules.pits)
