"""Positions of a campaign, and what their moves lead to."""

import random

import pytest

from mancala.engine.campaign import positions
from mancala.engine.campaign.positions import Claim
from mancala.engine.kernels import state
from mancala.engine.knowledge import Bounds
from mancala.engine.search.solver import Solver
from mancala.protocol.rules import Board, Rules
from tests.engine.campaign.campaigns import tables


def value_of(board: Board) -> int:
    if board.is_over:
        return board.score(board.player)
    known = tables(board.rules) if not board.rules.majority else state.no_tables(board.rules.pits)
    *_, solution = Solver(board.rules, tables=known, table_bits=16).solve(board)
    return solution.value.low


def exactly(board: Board) -> Bounds:
    return Bounds(value_of(board), value_of(board))


@pytest.mark.parametrize("text", ["kalah:pits=3,seeds=3", "article:pits=3,seeds=3"])
def test_a_value_is_the_best_of_its_moves(text: str, rng: random.Random) -> None:
    """Along a random game, plain positions, offsets and moves give the solver's values."""
    board = Board.start(Rules.parse(text))
    while not board.is_over:
        plain = positions.plain(board)
        assert value_of(board) == value_of(plain) + positions.offset(board)
        known = positions.widest(plain)
        assert known.low <= value_of(plain) <= known.high
        values = [
            move.ahead if move.after is None else move.bounds(exactly(move.after)).low
            for move in positions.moves(plain)
        ]
        assert max(values) == value_of(plain)
        board = board.sow(rng.choice(board.legal())).board


def test_a_claim_after_a_move_means_the_same() -> None:
    """A move satisfies a claim exactly if the position after it satisfies the claim after it."""
    board = Board.start(Rules.parse("kalah:pits=3,seeds=2"))
    for move in positions.moves(board):
        assert move.after is not None
        reached = move.bounds(exactly(move.after)).low
        for value in range(-12, 13, 2):
            for at_least in (True, False):
                claim = Claim(board, value, at_least)
                after = claim.after(move)
                assert after is not None
                holds = reached >= value if at_least else reached <= value
                assert after.follows_from(exactly(move.after)) == holds
