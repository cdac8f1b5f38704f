"""Positions and their values by the rules alone, to compare tables with."""

import random
from collections.abc import Callable
from functools import cache

from mancala.protocol.rules import Board, Rules

KALAH = Rules()


@cache
def negamax(board: Board) -> int:
    """Play everything out: the store difference at the end, for the mover."""
    return board.score(board.player) if board.is_over else best_of(board, negamax)


def best_of(board: Board, value: Callable[[Board], int]) -> int:
    values = []
    for pit in board.legal():
        child = board.sow(pit).board
        if child.is_over:
            values.append(child.score(board.player))
        else:
            values.append(value(child) if child.player == board.player else -value(child))
    return max(values)


def random_board(rng: random.Random, rules: Rules, seeds: int) -> Board:
    while True:
        rows = [[0] * rules.pits, [0] * rules.pits]
        for _ in range(seeds):
            rows[rng.randrange(2)][rng.randrange(rules.pits)] += 1
        if all(map(any, rows)):
            return Board(rules, (tuple(rows[0]), tuple(rows[1])), (3, 1))
