"""The order and the bound of the games that wait for a review."""

from random import Random

from mancala.server.model.review.reviews import QueuedReview, Urgency
from mancala.server.reviews.queue import ReviewQueue

NEWEST = 1


def taken(queue: ReviewQueue, version: int = NEWEST) -> list[str]:
    games = []
    while (found := queue.take(version)) is not None:
        games.append(found.game)
    return games


def test_lost_games_come_first_and_the_newest_of_each_kind() -> None:
    """Whatever the order in which they were put in."""
    waiting = [
        QueuedReview("old loss", Urgency.LOST, "1"),
        QueuedReview("new loss", Urgency.LOST, "2"),
        QueuedReview("old draw", Urgency.OTHER, "1"),
        QueuedReview("new draw", Urgency.OTHER, "3"),
    ]
    Random(3).shuffle(waiting)
    queue = ReviewQueue(10)
    queue.put(waiting)
    assert taken(queue) == ["new loss", "old loss", "new draw", "old draw"]


def test_a_full_queue_keeps_the_first_in_line_and_says_that_some_are_missing() -> None:
    """The store still knows the others."""
    queue = ReviewQueue(2)
    queue.put(QueuedReview(f"g{at}", Urgency.OTHER, str(at)) for at in range(5))
    assert queue.is_cut
    assert taken(queue) == ["g4", "g3"]


def test_a_game_is_in_the_queue_once() -> None:
    """It may be read from the store while it is there."""
    queue = ReviewQueue(10)
    queue.put([QueuedReview("g", Urgency.LOST, "1")] * 2)
    assert len(queue) == 1
    assert taken(queue) == ["g"]
    queue.put([QueuedReview("g", Urgency.LOST, "1")])
    assert taken(queue) == ["g"]


def test_a_reviewed_game_is_only_for_a_better_reviewer() -> None:
    """A reviewer of the same version would say the same."""
    queue = ReviewQueue(10)
    queue.put([QueuedReview("old", Urgency.AGAIN, "1", version=1)])
    assert taken(queue, 1) == []
    assert taken(queue, 2) == ["old"]
