"""Positions that tests of the players share."""

from collections.abc import Iterator
from random import Random

from mancala.protocol.rules import OWARE, PRESETS, Board, Rules
from mancala.protocol.variants import FAMILY

VARIANTS = (
    *PRESETS.values(),
    FAMILY["mangala"],
    OWARE,
    Rules(pits=1, seeds=3),
    Rules(pits=4, seeds=6, relap=True),
    Rules(pits=3, seeds=8, majority=True),
    Rules(pits=16, seeds=7),
)


def boards_of_random_game(rules: Rules, rng: Random) -> Iterator[Board]:
    board = Board.start(rules)
    yield board
    while not board.is_over:
        board = board.sow(rng.choice(board.legal())).board
        yield board


def boards_of(rules: Rules, *, seed: int, every: int = 4) -> list[Board]:
    played = list(boards_of_random_game(rules, Random(seed)))
    return [board for board in played[::every] if not board.is_over]
