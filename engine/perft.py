"""Perft over whole boards: the count that pins down the rules in compiled form."""

from functools import lru_cache

import numpy as np

from mancala.protocol.rules import Board

from . import kernels
from .kernels import layout, state

variant_of = lru_cache(maxsize=8)(state.variant)


def _counted(board: Board, depth: int) -> int:
    if depth == 0:
        return 1
    pits = board.legal()
    if depth == 1 or not pits:
        return max(1, len(pits))
    return sum(_counted(board.sow(pit).board, depth - 1) for pit in pits)


def perft(board: Board, depth: int) -> int:
    """Count the leaves at ``depth`` plies, every sowing one ply; a finished game is one leaf.

    In Oware a game is over, too, where a position comes again that was there since this board, or
    before it as far as it knows.
    """
    if board.rules.oware:
        return _counted(board, depth)
    variant = variant_of(board.rules)
    me, other = board.player, 1 - board.player
    mine, theirs = board.pits[me], board.pits[other]
    stores = board.stores[me], board.stores[other]
    if variant.wide:
        boards = np.zeros((depth + 1) * layout.POSITION_WORDS, dtype=np.uint64)
        boards[: layout.POSITION_WORDS] = layout.position(mine, theirs)
        room = np.zeros((depth + 1) * 2, dtype=np.int64)
        room[:2] = stores
        return int(kernels.perft_wide(variant, boards, room, 0, depth))
    words = layout.pack((*mine, stores[0])), layout.pack((*theirs, stores[1]))
    return int(kernels.perft(variant, *words, np.uint64(board.total // 2), depth))
