"""A packed review says what the reviewer found out."""

import zlib
from random import Random

import pytest

from mancala.protocol import codec
from mancala.protocol.accuracy import Phase, Sums
from mancala.protocol.messages import LONGEST_LINE, Assessment, MoveValue
from mancala.protocol.review import ReviewedGame, ReviewWork, compose
from mancala.protocol.rules import Board, Rules
from mancala.server.model.review.packed_reviews import (
    PackedReviewError,
    pack,
    review_in,
    rounded,
    unpack,
    unpack_sums,
)
from mancala.server.model.review.reviews import SeatSums
from tests.seeds import seed

GAMES = 25
ENGINES = ("", "abacus é", "mancala-arena 1.0.0")


def played(rng: Random, rules: Rules) -> ReviewedGame:
    boards, pits = [Board.start(rules)], list[int]()
    while boards[-1].legal():
        pits.append(rng.choice(boards[-1].legal()))
        boards.append(boards[-1].sow(pits[-1]).board)
    return ReviewedGame("g1", boards, pits, 1)


def assessed(rng: Random, game: ReviewedGame) -> ReviewWork:
    """Return work that may be kept: the best move of each position is the first of its line."""
    found: list[Assessment] = []
    for ply in reversed(range(len(game.pits))):
        board, sign = game.boards[ply], 1 if game.boards[ply].player == 0 else -1
        moves = tuple(_assessed(rng, board, pit) for pit in board.legal())
        best = max(moves, key=lambda move: sign * move.value).pit
        follows = found and best == game.pits[ply] and rng.random() < 0.7
        line = (best, *found[-1].line)[:LONGEST_LINE] if follows else _line(rng, board, best)
        found.append(Assessment(ply, moves, line, rng.choice((None, rng.randrange(1, 60)))))
    return ReviewWork(
        tuple(reversed(found)), rng.randrange(9), rng.choice(ENGINES), rng.randrange(9) / 8
    )


def _assessed(rng: Random, board: Board, pit: int) -> MoveValue:
    if rng.random() < 0.4:
        return MoveValue(pit, rng.randrange(-300, 300) / 10, rng.randrange(1, 60))
    value = rng.randrange(-board.total, board.total + 1)
    return MoveValue(pit, float(value - (value - board.total) % (1 if board.rules.majority else 2)))


def _line(rng: Random, board: Board, pit: int) -> tuple[int, ...]:
    line = [pit]
    board = board.sow(pit).board
    while len(line) < LONGEST_LINE and board.legal() and rng.random() < 0.8:
        line.append(rng.choice(board.legal()))
        board = board.sow(line[-1]).board
    return tuple(line)


@pytest.mark.parametrize(
    "rules",
    [Rules(), Rules(pits=1, seeds=3), Rules(pits=16, seeds=2), Rules(majority=True, relap=True)],
)
def test_what_was_packed_is_unpacked_whatever_the_reviewer_found(rules: Rules) -> None:
    """Proofs, estimates, lines that go on, and lines of their own."""
    rng = Random(seed())
    for _ in range(GAMES):
        game = played(rng, rules)
        work = assessed(rng, game)
        packed = pack(game, work, ({}, {}))
        assert unpack(packed, game) == work
        assert review_in(packed, game) == compose(game, work)


def test_a_reviewers_work_is_rounded_to_what_is_kept() -> None:
    """A tenth of a seed, since an estimate is good to about a seed, and a millisecond."""
    work = ReviewWork((Assessment(0, (MoveValue(0, 1.26, 4),), (0,), 4),), 1, "", 0.12345)
    kept = rounded(work)
    assert (kept.assessments[0].moves[0].value, kept.seconds) == (1.3, 0.123)


def test_a_review_of_a_former_version_is_read() -> None:
    """The whole of it, as compressed JSON."""
    rng = Random(1)
    game = played(rng, Rules())
    review = compose(game, assessed(rng, game))
    assert review_in(zlib.compress(codec.to_json(review), 6), game) == review
    with pytest.raises(PackedReviewError, match="version 2"):
        review_in(b"\x02", game)


def test_sums_are_as_they_were() -> None:
    """Those of the whole game are added up from its phases; a former version wrote all of them."""
    sums: SeatSums = (
        {
            Phase.ALL: Sums.of_game(7, 5, 6),
            Phase.OPENING: Sums.of_game(4, 3, 2),
            Phase.END: Sums.of_game(3, 2, 4),
        },
        {},
    )
    packed = pack(ReviewedGame("g1", (), (), None), ReviewWork((), 1, "", 0.0), sums)
    assert unpack_sums(packed, None) == sums
    assert unpack_sums(b"x", codec.to_json(sums).decode()) == sums
