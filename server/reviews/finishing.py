"""From what a reviewer sent to a review that can be stored. Pure, and run beside the event loop."""

from __future__ import annotations

from mancala.protocol.accuracy import sums_of
from mancala.protocol.review import ReviewedGame, ReviewError, ReviewWork, check, compose

from ..model.packed_reviews import pack, rounded
from ..model.reviews import FinishedReview


def finish(game: ReviewedGame, work: ReviewWork) -> FinishedReview | ReviewError:
    """Check a reviewer's work and return the review, or what is wrong with it."""
    try:
        check(game, work.assessments)
    except ReviewError as error:
        return error
    kept = rounded(work)
    review = compose(game, kept)
    sums = sums_of(review, game.boards)
    return FinishedReview(review, pack(game, kept, sums), sums)
