"""A plain search that is deepened until its time is up."""

from __future__ import annotations

from itertools import count

import pytest

from mancala.engine.classics.alphabeta import AlphaBetaPlayer
from mancala.engine.classics.deepening import DeepeningPlayer
from mancala.protocol.player import Budget, Choice
from mancala.protocol.rules import Board, Rules

NEAR_THE_END = Board.from_text("<6,20,15,0,0,2,0,1,1,0,3,0,0,0,0>")


@pytest.mark.parametrize("seeds", [4, 6])
def test_each_depth_is_offered_and_the_last_one_that_was_finished_is_played(seeds: int) -> None:
    """A clock that counts evaluations ends the search in the middle of a depth."""
    offers: list[Choice] = []
    ticks = count()
    player = DeepeningPlayer(3000.0, clock=lambda: float(next(ticks)))
    board = Board.start(Rules(seeds=seeds))
    choice = player.choose(board, Budget(offer=offers.append))
    depths = [offer.info.depth or 0 for offer in offers if offer.info]
    assert depths == list(range(1, len(depths) + 1))
    assert depths[-1] >= 6
    assert choice == offers[-1]
    alone = AlphaBetaPlayer(depth=depths[-1], in_sowings=True).rate(board)
    assert choice.info is not None
    assert (alone[choice.pit], choice.info.value) == (max(alone.values()),) * 2


def test_without_time_or_when_cancelled_the_first_depth_is_played() -> None:
    """So a move is never one that nothing speaks for."""
    hurried = DeepeningPlayer(0.0).choose(Board.start())
    cancelled = DeepeningPlayer(9.0).choose(Board.start(), Budget(is_cancelled=lambda: True))
    assert hurried.info is not None
    assert hurried.info.depth == 1
    assert cancelled.pit == hurried.pit


def test_a_search_that_sees_all_ends_is_exact_and_stops() -> None:
    """Its value is the difference of stores at the end of the game."""
    ticks = count()
    info = DeepeningPlayer(1e9, clock=lambda: float(next(ticks))).choose(NEAR_THE_END).info
    assert info is not None
    assert info.exact
    full = AlphaBetaPlayer(depth=40, in_sowings=True).rate(NEAR_THE_END)
    assert info.value == max(full.values())


def test_a_finished_game_has_no_move() -> None:
    """It is refused, as other players refuse it."""
    with pytest.raises(ValueError, match="the game is over"):
        DeepeningPlayer(1.0).choose(Board.from_text("<6,30,18,0,0,0,0,0,0,0,0,0,0,0,0>"))
