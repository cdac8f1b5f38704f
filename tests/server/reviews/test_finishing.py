"""From a reviewer's work to a review that can be stored."""

from __future__ import annotations

from mancala.protocol.accuracy import Phase
from mancala.protocol.review import ReviewError, ReviewWork
from mancala.server.model.packed_reviews import review_in
from mancala.server.model.reviews import FinishedReview
from mancala.server.reviews.finishing import finish
from tests.server.reviews.games import PLIES, reviewable


def test_work_that_stands_becomes_a_review_its_body_and_its_sums() -> None:
    """All three say the same."""
    found = finish(reviewable().played, ReviewWork(PLIES, 1, "abacus 1", 0.5))
    assert isinstance(found, FinishedReview)
    assert review_in(found.body, reviewable().played) == found.review
    assert (found.review.proven, found.review.engine) == (1.0, "abacus 1")
    first, second = found.sums
    assert first[Phase.ALL].moves == 1
    assert not second


def test_work_that_does_not_stand_is_an_error_and_no_exception() -> None:
    """It comes from outside, and the reviewer reads it."""
    assert isinstance(finish(reviewable().played, ReviewWork(PLIES[:1], 1, "", 0.0)), ReviewError)
