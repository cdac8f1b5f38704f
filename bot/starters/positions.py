"""Positions by which a starter tests its own rules: the moves of a few games drawn at random.

A line has whole numbers only, so that any language reads it: the pit, 1 if the same player moves
again, the board before the move, and the board after it. A board is a ring: the mover's pits, the
mover's store, the other's pits, and the other's store.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from mancala.protocol.rules import Board, Rules

NAME: Final = "positions.txt"
_GAMES: Final = ("kalah", "kalah:pits=4,seeds=8")
"""The second one has sowings of more than a lap."""


def positions() -> str:
    """Return the file's text, the same each time."""
    rng = random.Random(28)  # noqa: S311  # any games will do
    lines = [line for rules in _GAMES for line in _moves(Board.start(Rules.parse(rules)), rng)]
    return "\n".join(lines) + "\n"


def _moves(board: Board, rng: random.Random) -> Iterator[str]:
    """Play a game; yield the line of each move."""
    while not board.is_over:
        pit = rng.choice(board.legal())
        after, _, _, again = board.sow(pit)
        numbers = (pit, int(again), *_ring(board, board.player), *_ring(after, board.player))
        yield " ".join(map(str, numbers))
        board = after


def _ring(board: Board, player: int) -> tuple[int, ...]:
    other = 1 - player
    return (
        *board.pits[player],
        board.stores[player],
        *board.pits[other],
        board.stores[other],
    )
