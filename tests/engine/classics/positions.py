"""Positions that tests of the players share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.rules import PRESETS, Board, Rules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

VARIANTS = (
    *PRESETS.values(),
    Rules(pits=1, seeds=3),
    Rules(pits=4, seeds=6, relap=True),
    Rules(pits=3, seeds=8, majority=True),
    Rules(pits=16, seeds=7),
)


def boards_of_random_game(rules: Rules, rng: Random) -> Iterator[Board]:
    """Yield every board of one game between random players, the last one included."""
    board = Board.start(rules)
    yield board
    while not board.is_over:
        board = board.sow(rng.choice(board.legal())).board
        yield board
