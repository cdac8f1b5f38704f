"""A plain search that is deepened until its time is up."""

from dataclasses import replace
from itertools import count
from random import Random

import pytest

from mancala.engine.classics.alphabeta import AlphaBetaPlayer
from mancala.engine.classics.deepening import DeepeningPlayer, PlainReviewer
from mancala.engine.game_reviews import ReviewerPool
from mancala.protocol.player import Budget, Choice
from mancala.protocol.rules import OWARE, Board, Rules
from tests.seeds import seed

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


def test_a_game_whose_positions_repeat_is_reviewed_by_estimates_alone() -> None:
    """All moves have one depth, none is proven, and the last one is worth what it brought."""
    rng, boards, pits = Random(seed()), [Board.start(OWARE)], list[int]()
    while not boards[-1].is_over:
        pits.append(rng.choice(boards[-1].legal()))
        boards.append(boards[-1].sow(pits[-1]).board)
    ticks = count()
    plies = PlainReviewer(lambda: float(next(ticks))).review(boards, pits, time_s=10.0)
    assert [ply.ply for ply in plies] == list(range(len(pits)))
    depths = {move.depth for ply in plies for move in ply.moves} | {ply.depth for ply in plies}
    assert depths == {1}
    assert all(
        [move.pit for move in ply.moves] == list(board.legal())
        for ply, board in zip(plies, boards, strict=False)
    )
    last = {move.pit: move.value for move in plies[-1].moves}
    assert last[pits[-1]] == boards[-1].score(0)


def test_a_pool_of_reviewers_reviews_it_so() -> None:
    """With more time it looks further; a move that gives up a capture is found."""
    board, ticks = Board.from_text("<6,9,9,1,0,0,0,0,4,4,1,2,9,9,0>", OWARE), count()
    pool = ReviewerPool(clock=lambda: float(next(ticks)))
    work = pool.work([board, board.sow(0).board], [0], time_s=1000.0)
    (ply,) = work.assessments
    values = {move.pit: move.value for move in ply.moves}
    assert values[5] >= values[0]
    assert ply.line[0] == max(values, key=lambda pit: (values[pit], pit == 0))
    assert (ply.depth or 0) > 1


@pytest.mark.parametrize(
    ("row", "pit"), [("0,0,0,0,2,1,20,0,0,0,0,0", 5), ("20,0,0,0,2,1,0,0,0,0,0,1", 4)]
)
def test_a_move_that_comes_to_a_position_again_is_worth_what_the_end_brings(
    row: str, pit: int
) -> None:
    """The rows decide then, not the stores: who has little in its own plays another move."""
    board = Board.from_text(f"<6,12,12,{row}>", OWARE)
    again = board.sow(4).board
    board = replace(board, past=((again.pits, again.player),))
    assert board.sow(4).board.is_over
    assert DeepeningPlayer(1.0, deepest=1).choose(board).pit == pit
