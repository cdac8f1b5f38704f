"""Who is matched with whom."""

from itertools import count

import pytest

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import ErrorCode
from mancala.protocol.rules import KALAH, PRESETS
from mancala.server.lobby.request_book import RequestBook
from mancala.server.match.participant import RequestError
from mancala.server.model.match import OpenSeek, Terms
from tests.server.fakes import limited

TERMS = Terms(KALAH, TimeControl(), rated=True, games=2)


@pytest.fixture
def book() -> RequestBook:
    """An empty book that allows two challenges a bot."""
    numbers = count(1)
    return RequestBook(lambda: f"c{next(numbers)}", limited(challenges=2))


def test_two_seeks_for_the_same_are_matched_and_the_earlier_is_named_first(
    book: RequestBook,
) -> None:
    """The bot that waited is the first side of the match."""
    assert book.seek(OpenSeek("ann", TERMS)) is None
    pairing = book.seek(OpenSeek("bob", TERMS))
    assert pairing is not None
    assert pairing.names == ("ann", "bob")
    assert book.seek(OpenSeek("cyd", TERMS)) is None, "both seeks were used up"


@pytest.mark.parametrize(
    "other",
    [
        TERMS._replace(rules=PRESETS["article"]),
        TERMS._replace(clock=TimeControl(move_ms=1)),
        TERMS._replace(rated=False),
        TERMS._replace(games=4),
    ],
)
def test_seeks_that_differ_in_anything_are_not_matched(book: RequestBook, other: Terms) -> None:
    """Rules, clock, rating and number of games must all agree."""
    book.seek(OpenSeek("ann", TERMS))
    assert book.seek(OpenSeek("bob", other)) is None


def test_a_named_opponent_is_the_only_one_matched(book: RequestBook) -> None:
    """The filter holds in both directions."""
    book.seek(OpenSeek("ann", TERMS, opponent="cyd"))
    assert book.seek(OpenSeek("bob", TERMS)) is None
    assert book.seek(OpenSeek("dan", TERMS, opponent="ann")) is None
    pairing = book.seek(OpenSeek("cyd", TERMS))
    assert pairing is not None
    assert pairing.names == ("ann", "cyd")


def test_the_longest_waiting_seek_is_matched_first(book: RequestBook) -> None:
    """Among seeks that suit, order of arrival decides."""
    book.seek(OpenSeek("ann", TERMS, opponent="cyd"))
    book.seek(OpenSeek("bob", TERMS, opponent="cyd"))
    pairing = book.seek(OpenSeek("cyd", TERMS))
    assert pairing is not None
    assert pairing.names[0] == "ann"


def test_a_bot_is_never_matched_with_itself(book: RequestBook) -> None:
    """A second seek takes the place of the first."""
    book.seek(OpenSeek("ann", TERMS))
    assert book.seek(OpenSeek("ann", TERMS)) is None
    assert book.open_seek("ann") == OpenSeek("ann", TERMS)


def test_a_withdrawn_seek_is_not_matched(book: RequestBook) -> None:
    """After unseek there is nothing to match."""
    book.seek(OpenSeek("ann", TERMS))
    book.unseek("ann")
    assert book.seek(OpenSeek("bob", TERMS)) is None


def test_a_challenger_may_leave_the_first_seat_to_the_other(book: RequestBook) -> None:
    """With seat 1, the challenged bot is named first."""
    offer = book.challenge("ann", "bob", TERMS, seat=1)
    assert book.accept(offer.id, "bob").names == ("bob", "ann")


def test_a_challenge_is_accepted_by_whom_it_names_once(book: RequestBook) -> None:
    """No other bot may accept it, and not twice."""
    offer = book.challenge("ann", "bob", TERMS)
    for name in ("ann", "cyd"):
        with pytest.raises(RequestError) as unknown:
            book.accept(offer.id, name)
        assert unknown.value.code is ErrorCode.UNKNOWN_CHALLENGE
    assert book.accept(offer.id, "bob").names == ("ann", "bob")
    with pytest.raises(RequestError):
        book.accept(offer.id, "bob")


def test_only_the_two_sides_may_decline(book: RequestBook) -> None:
    """The challenger takes back, the challenged refuses."""
    first, second = (book.challenge("ann", "bob", TERMS) for _ in range(2))
    with pytest.raises(RequestError):
        book.decline(first.id, "cyd")
    assert book.decline(first.id, "ann") == first
    assert book.decline(second.id, "bob") == second


def test_challenges_of_one_bot_are_limited(book: RequestBook) -> None:
    """The third is one too many here; another bot still may."""
    book.challenge("ann", "bob", TERMS)
    book.challenge("ann", "cyd", TERMS)
    with pytest.raises(RequestError) as full:
        book.challenge("ann", "dan", TERMS)
    assert full.value.code is ErrorCode.LIMIT
    assert book.challenge("bob", "ann", TERMS).by == "bob"


def test_who_goes_takes_all_its_challenges_along(book: RequestBook) -> None:
    """Made and received alike."""
    mine = book.challenge("ann", "bob", TERMS)
    theirs = book.challenge("cyd", "ann", TERMS)
    other = book.challenge("cyd", "bob", TERMS)
    assert book.withdraw("ann") == [mine, theirs]
    assert book.accept(other.id, "bob").names == ("cyd", "bob")
