"""From what a reviewer sent to a review that can be stored. Pure, and run beside the event loop."""

from __future__ import annotations

from typing import Final
from zlib import compress

from protocol import codec
from protocol.accuracy import sums_of
from protocol.review import PlayedGame, ReviewError, Work, check, compose
from server.model.reviews import FinishedReview

COMPRESSION: Final = 6
"""A review of 25 kB becomes 3 kB in 0.5 ms."""


def finish(game: PlayedGame, work: Work) -> FinishedReview | ReviewError:
    """Check a reviewer's work and return the review, or what is wrong with it."""
    try:
        check(game, work.assessments)
    except ReviewError as error:
        return error
    review = compose(game, work)
    body = compress(codec.to_json(review), COMPRESSION)
    return FinishedReview(review, body, sums_of(review, game.boards))
