"""How a test of reviewers finds games that are not handed out in turns."""

import pytest

from mancala.protocol.messages import OfferReviews, Review, ReviewWanted
from mancala.protocol.rules import KALAH, Board
from tests.simulate.promises import NOTICED_S, BrokenPromiseError, Promise
from tests.simulate.review_watch import ReviewWatch
from tests.simulate.test_ladder_watch import ConnectedBots


def wanted(game: str) -> ReviewWanted:
    return ReviewWanted(game, KALAH, Board.start().state, (2,))


def review(game: str) -> Review:
    return Review(game, (), "test", 1.0, more=False)


@pytest.fixture
def town() -> ConnectedBots:
    return ConnectedBots()


@pytest.fixture
def watch(town: ConnectedBots) -> ReviewWatch:
    """Two reviewers with three hands each, of which ann has two games."""
    watch = ReviewWatch(town.watch.trace, town, patience_s=10.0)
    for name in ("ann", "cat"):
        watch.offered(name, OfferReviews(1, 3))
    watch.wanted("ann", wanted("a"))
    watch.wanted("ann", wanted("b"))
    town.now += 2 * NOTICED_S
    return watch


def test_a_reviewer_with_far_more_games_gets_no_further_one(watch: ReviewWatch) -> None:
    """The other one has a hand free."""
    with pytest.raises(BrokenPromiseError, match=Promise.IN_TURN):
        watch.wanted("ann", wanted("c"))


@pytest.mark.parametrize(
    "reason",
    [
        "no right",
        "sent a false one",
        "came back",
        "all hands",
        "version",
        "late",
        "brought it late",
        "gone",
    ],
)
def test_there_are_reasons_to_give_it_one(
    reason: str, watch: ReviewWatch, town: ConnectedBots
) -> None:
    """The other one is no better choice, or can't have it."""
    match reason:
        case "no right":
            watch.refused("cat")
        case "sent a false one":
            watch.found_false("cat")
            town.now += 2 * NOTICED_S
        case "came back":
            watch.reviewed("ann", review("a"))
        case "all hands":
            for game in "def":
                watch.wanted("cat", wanted(game))
        case "version":
            watch.offered("cat", OfferReviews(2, 3))
            town.now += 2 * NOTICED_S
        case "late":
            watch.wanted("cat", wanted("d"))
            town.now += 20.0
            watch.wanted("cat", wanted("e"))
            watch.reviewed("cat", review("e"))
            watch.reviewed("cat", review("d"))
        case "brought it late":
            watch.wanted("cat", wanted("d"))
            town.now += 20.0
            watch.reviewed("cat", review("d"))
        case "gone":
            watch.restarted()
            watch.offered("ann", OfferReviews(1, 3))
    watch.wanted("ann", wanted("c"))
