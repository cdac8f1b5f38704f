"""Simulated reviewers: the good ones are right, the false ones are wrong."""

import random

import pytest

from mancala.protocol.accuracy import sums_of
from mancala.protocol.messages import ReviewWanted
from mancala.protocol.review import ReviewedGame, ReviewError, ReviewWork, check, compose
from mancala.protocol.rules import Board, Rules
from tests.simulate.reviewers import assess, falsified


def played(seed: int) -> tuple[ReviewedGame, ReviewWanted]:
    rng = random.Random(seed)
    boards, pits = [Board.start(Rules.parse("kalah:pits=3,seeds=2"))], []
    while not boards[-1].is_over:
        pits.append(rng.choice(boards[-1].legal()))
        boards.append(boards[-1].sow(pits[-1]).board)
    wanted = ReviewWanted("g", boards[0].rules, boards[0].state, tuple(pits))
    return ReviewedGame("g", boards, pits, None), wanted


@pytest.mark.parametrize("seed", range(20))
def test_a_review_stands_unless_it_is_made_false(seed: int) -> None:
    """The server has to refuse every false one."""
    game, wanted = played(seed)
    review = assess(wanted)
    check(game, review)
    with pytest.raises(ReviewError):
        check(game, falsified(review, random.Random(seed)))


def test_reviews_prove_moves_that_count_for_an_accuracy() -> None:
    """Else no world would notice that accuracies are counted wrongly."""
    counted = 0
    for seed in range(20):
        game, wanted = played(seed)
        review = compose(game, ReviewWork(assess(wanted), 1, "honest", 1.0))
        counted += any(sums_of(review, game.boards))
    assert counted >= 5
