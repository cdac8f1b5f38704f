"""Choices without thought, or with little: what every rating is compared with.

A rule of thumb that is right in half of the positions would rate players that only know it. So the
positions are chosen against these rules (`mancala.scripts.rating.positions`), and what each of them
loses is stated beside what the player loses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from mancala.engine.classics.alphabeta import AlphaBetaPlayer
from mancala.engine.classics.strategies import CapturesPlayer, DefendPlayer, GreedyPlayer

if TYPE_CHECKING:
    from mancala.protocol.rules import Board


def nearest(board: Board) -> tuple[int, ...]:
    """Return the legal pit nearest to the mover's store."""
    return board.legal()[-1:]


def again(board: Board) -> tuple[int, ...]:
    """Return the pit nearest to the store that moves again; where none does, the nearest pit."""
    return tuple(pit for pit in board.legal() if board.sow(pit).again)[-1:] or nearest(board)


TREE: Final = "alphabeta:depth=4"
THUMBS: Final[dict[str, Callable[[Board], Sequence[int]]]] = {
    "nearest": nearest,
    "again": again,
    "captures": CapturesPlayer().best,
    "defend": DefendPlayer().best,
    "greedy": GreedyPlayer().best,
}
"""The rules of thumb: the pits that each one would sow, equally likely."""
BASELINES: Final = {
    "random": lambda board: board.legal(),
    **THUMBS,
    TREE: AlphaBetaPlayer(depth=4).best,
}
"""The same with a random choice, and a search of four turns."""
