"""Who gets which game to review, and what becomes of it."""

import pytest
from msgspec.structs import replace

from mancala.protocol import messages as wire
from mancala.protocol.accuracy import Phase
from mancala.protocol.review import ReviewError, ReviewWork
from mancala.server.config.settings import Config, Reviewers
from mancala.server.model.journal import Entry, ReviewDropped, ReviewQueued, ReviewStored
from mancala.server.model.review.packed_reviews import review_in
from mancala.server.model.review.puzzles import free_day
from mancala.server.model.review.reviews import FinishedReview, QueuedReview, Urgency
from mancala.server.reviews.dispatcher import PAUSE_S, URGENT_BURST, finish
from tests.server.fakes import FakeSeat, Harness, paired
from tests.server.reviews.games import PITS, PLIES, RULES, review_of, reviewable


@pytest.fixture
def harness() -> Harness:
    """Return a registry whose store knows games g1 to g3, none of which waits."""
    harness = Harness(Config(reviewers=Reviewers(patience_s=60.0)))
    harness.reviews.reviewers |= {"carol", "dave", "erin", "zoe"}
    harness.reviews.games = {game: reviewable(game) for game in ("g1", "g2", "g3")}
    return harness


def wait_for(harness: Harness, *games: str) -> None:
    harness.reviews.kept = [
        QueuedReview(game, Urgency.LOST, str(9 - at)) for at, game in enumerate(games)
    ]


def reviewer(
    harness: Harness,
    name: str = "carol",
    games: int = 1,
    version: int = 1,
    address: str = "192.0.2.1",
) -> FakeSeat:
    seat = harness.connect(address=address)
    harness.say(seat, wire.Hello(wire.VERSION, name, token="good"))  # noqa: S106  # a fake
    harness.say(seat, wire.OfferReviews(version, games))
    return seat


def asked(seat: FakeSeat) -> list[str]:
    return [wanted.game for wanted in seat.of(wire.ReviewWanted)]


def stored(harness: Harness) -> list[Entry]:
    return harness.journal.kept(ReviewStored)


def test_what_waits_in_the_store_is_handed_out_and_stored_once(harness: Harness) -> None:
    """A restart of the server loses no game, and no game is reviewed twice."""
    wait_for(harness, "g1", "g2")
    carol = reviewer(harness)
    assert carol.last(wire.ReviewWanted) == wire.ReviewWanted(
        "g1", RULES, reviewable().played.boards[0].state, PITS
    )
    assert asked(carol) == ["g1"]
    harness.say(carol, review_of("g1"))
    assert asked(carol) == ["g1", "g2"]
    (entry,) = stored(harness)
    assert isinstance(entry, ReviewStored)
    assert (entry.game, entry.reviewer, entry.finished.review.proven) == ("g1", "carol", 1.0)


def test_a_game_that_ends_is_wanted_and_a_loss_is_urgent(harness: Harness) -> None:
    """It is noted in the transaction of its end, with the versions of both bots."""
    ann, bob = paired(harness, wire.Seek(games=1))
    game = ann.game
    harness.reviews.games[game] = reviewable(game)
    carol = reviewer(harness)
    harness.say(ann, wire.Resign(game))
    assert bob.of(wire.GameOver)
    (queued,) = harness.journal.kept(ReviewQueued)
    assert queued.waiting.urgency == Urgency.LOST
    assert queued.entrants == ("ann", "bob")
    assert asked(carol) == [game]


def test_who_loses_game_after_game_does_not_keep_others_waiting(harness: Harness) -> None:
    """After a number of losses those of an address are reviewed after the other games."""
    ann, _bob = paired(harness, wire.Seek(games=2 * URGENT_BURST))
    for _ in range(URGENT_BURST + 1):
        harness.say(ann, wire.Resign(ann.game))
    queued = [entry.waiting.urgency for entry in harness.journal.kept(ReviewQueued)]
    assert queued == [Urgency.LOST] * URGENT_BURST + [Urgency.OTHER]


def test_reviewers_share_the_games_and_take_as_many_as_they_offer(harness: Harness) -> None:
    """Each game goes to one of them."""
    wait_for(harness, "g1", "g2", "g3")
    carol, dave = reviewer(harness, "carol", games=2), reviewer(harness, "dave")
    assert asked(carol) == ["g1", "g2"]
    assert asked(dave) == ["g3"]


def test_reviewers_with_fewest_games_come_first(harness: Harness) -> None:
    """One that offers much takes no game that another one could begin."""
    wait_for(harness, "g1", "g2", "g3")
    zoe = reviewer(harness, "zoe", games=3)
    others = [reviewer(harness, name, games=16) for name in ("carol", "dave", "erin")]
    harness.drop(zoe)
    assert [asked(other) for other in others] == [["g1"], ["g2"], ["g3"]]


def test_an_address_with_many_reviewers_has_one_share(harness: Harness) -> None:
    """The next game goes to the address that has fewest, whatever names ask there."""
    wait_for(harness, "g1", "g2", "g3")
    zoe = reviewer(harness, "zoe", games=3, address="192.0.2.9")
    stranger = "192.0.2.66"
    carol = reviewer(harness, "carol", games=16, address=stranger)
    dave = reviewer(harness, "dave", games=16, address=stranger)
    erin = reviewer(harness, "erin", games=16)
    harness.drop(zoe)
    assert [asked(each) for each in (carol, dave, erin)] == [["g1"], ["g3"], ["g2"]]


def test_a_reviewer_that_was_late_has_one_game_at_a_time(harness: Harness) -> None:
    """Until it has brought one back."""
    wait_for(harness, "g1", "g2", "g3")
    carol = reviewer(harness, "carol", games=3)
    assert asked(carol) == ["g1", "g2", "g3"]
    harness.clock.pass_by(61.0)
    (again,) = asked(carol)[3:]
    harness.say(carol, review_of(again))
    assert len(asked(carol)[4:]) == 2


def test_the_games_of_a_lost_reviewer_go_to_another(harness: Harness) -> None:
    """What the lost one sends later, on a new connection, is not wanted."""
    wait_for(harness, "g1")
    carol, dave = reviewer(harness, "carol"), reviewer(harness, "dave")
    harness.drop(carol)
    assert asked(dave) == ["g1"]
    back = reviewer(harness, "carol")
    harness.say(back, review_of("g1"))
    assert back.code is wire.ErrorCode.UNKNOWN_GAME
    harness.say(dave, review_of("g1"))
    assert len(stored(harness)) == 1


def test_a_reviewer_that_takes_too_long_loses_the_game_to_another(harness: Harness) -> None:
    """A machine that sleeps holds no game up for ever."""
    wait_for(harness, "g1")
    carol = reviewer(harness, "carol")
    dave = reviewer(harness, "dave")
    harness.reviews.kept = []
    harness.say(carol, wire.OfferReviews(1, 0))
    harness.clock.pass_by(61.0)
    assert asked(dave) == ["g1"]
    harness.say(carol, review_of("g1"))
    assert carol.code is wire.ErrorCode.UNKNOWN_GAME
    assert stored(harness) == []


def test_only_a_token_with_the_right_may_review(harness: Harness) -> None:
    """Neither a guest nor a bot with an ordinary token."""
    wait_for(harness, "g1")
    guest = harness.greet("guest")
    harness.say(guest, wire.OfferReviews(1))
    ordinary = reviewer(harness, "ordinary")
    for seat in (guest, ordinary):
        assert not seat.last(wire.Error).fatal
        assert asked(seat) == []
        harness.say(seat, review_of("g1"))
        assert seat.errors == [
            (wire.ErrorCode.FORBIDDEN, None),
            (wire.ErrorCode.UNKNOWN_GAME, "g1"),
        ]


@pytest.mark.parametrize(
    "wrong",
    [
        wire.Review("g1", PLIES[:1]),
        wire.Review("g1", (*PLIES, PLIES[1])),
        wire.Review("g1", (replace(PLIES[0], line=(0, 1)), PLIES[1])),
    ],
)
def test_a_review_that_does_not_stand_is_refused_and_another_gets_the_game(
    harness: Harness, wrong: wire.Review
) -> None:
    """The connection goes on; the one that sent it gets no game for a moment."""
    wait_for(harness, "g1")
    carol, dave = reviewer(harness, "carol"), reviewer(harness, "dave")
    harness.say(carol, wrong)
    assert carol.code is wire.ErrorCode.INVALID
    assert not carol.last(wire.Error).fatal
    assert stored(harness) == []
    assert asked(dave) == ["g1"]
    harness.drop(dave)
    assert asked(carol) == ["g1"]
    harness.clock.pass_by(PAUSE_S)
    assert asked(carol) == ["g1", "g1"]


def test_a_long_review_comes_in_parts(harness: Harness) -> None:
    """It is stored with the last of them."""
    wait_for(harness, "g1")
    carol = reviewer(harness)
    harness.say(carol, wire.Review("g1", PLIES[:1], more=True))
    assert stored(harness) == []
    harness.say(carol, wire.Review("g1", PLIES[1:]))
    assert len(stored(harness)) == 1


def test_a_review_that_the_store_refuses_is_made_again(harness: Harness) -> None:
    """The reviewer learns that it was not kept."""
    wait_for(harness, "g1")
    harness.journal.refuses = lambda entry: isinstance(entry, ReviewStored)
    carol = reviewer(harness)
    harness.reviews.kept = []
    harness.say(carol, review_of("g1"))
    assert carol.code is wire.ErrorCode.INTERNAL
    assert asked(carol) == ["g1", "g1"]


def test_a_game_without_moves_is_not_reviewed(harness: Harness) -> None:
    """It leaves the queue for good."""
    empty = reviewable("g1")
    played = empty.played._replace(boards=empty.played.boards[:1], pits=())
    harness.reviews.games["g1"] = empty._replace(played=played)
    wait_for(harness, "g1", "g2")
    assert asked(reviewer(harness)) == ["g2"]
    assert harness.journal.kept(ReviewDropped) == [ReviewDropped("g1")]


def test_a_better_reviewer_gets_games_that_are_reviewed(harness: Harness) -> None:
    """After those that have no review."""
    wait_for(harness, "g1")
    harness.reviews.old = [QueuedReview("g2", Urgency.AGAIN, "1", version=1)]
    carol = reviewer(harness, version=2)
    harness.reviews.kept = []
    harness.say(carol, review_of("g1"))
    assert asked(carol) == ["g1", "g2"]
    harness.reviews.old = []
    harness.say(carol, review_of("g2"))
    assert asked(reviewer(harness, "dave")) == []


def test_a_puzzle_is_cut_only_where_it_may_be_kept(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a first review, while this day or the next has none: it takes a search."""
    cut = list[str]()
    module = "mancala.server.reviews.dispatcher"
    monkeypatch.setattr(f"{module}.puzzle_in", lambda found, _boards: cut.append(found.game))
    today = harness.utc[:10]
    taken = (str(free_day([today], today)), today)
    harness.reviews.games["g2"] = reviewable("g2")._replace(puzzle_days=taken)
    wait_for(harness, "g1", "g2")
    harness.reviews.old = [QueuedReview("g3", Urgency.AGAIN, "1", version=1)]
    carol = reviewer(harness, version=2)
    harness.reviews.kept = []
    for game in ("g1", "g2", "g3"):
        harness.say(carol, review_of(game))
    assert len(stored(harness)) == 3
    assert cut == ["g1"]


def test_nothing_is_handed_out_while_the_server_stops(harness: Harness) -> None:
    """What waits is handed out by the next server."""
    carol = reviewer(harness)
    harness.sessions.drain(lambda: None)
    wait_for(harness, "g1")
    harness.say(carol, wire.OfferReviews(1))
    assert asked(carol) == []


def test_with_a_queue_of_none_no_review_is_wanted() -> None:
    """A server without reviewers stores nothing for them."""
    harness = Harness(Config(reviewers=Reviewers(queue=0)))
    ann, _ = paired(harness, wire.Seek(games=1))
    harness.say(ann, wire.Resign(ann.game))
    assert harness.journal.kept(ReviewQueued) == []


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
