"""A small finished game, and a review of it that stands."""

from typing import Final

from mancala.protocol.messages import Assessment, MoveValue, Review
from mancala.protocol.review import ReviewedGame
from mancala.protocol.rules import Board, Rules
from mancala.server.model.review.reviews import ReviewableGame

RULES: Final = Rules(pits=2, seeds=1)
PITS: Final = (1, 0)
PLIES: Final = (
    Assessment(0, (MoveValue(0, 0.0), MoveValue(1, 2.0)), (1, 0)),
    Assessment(1, (MoveValue(0, 2.0),), (0,)),
)


def reviewable(game: str = "g1") -> ReviewableGame:
    boards = [Board.start(RULES)]
    for pit in PITS:
        boards.append(boards[-1].sow(pit).board)
    return ReviewableGame(ReviewedGame(game, boards, PITS, 1), ("ann", "bob"), "main")


def review_of(game: str = "g1") -> Review:
    return Review(game, PLIES, engine="abacus 1", seconds=0.5)
