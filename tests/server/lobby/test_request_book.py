"""Who is matched with whom."""

from __future__ import annotations

from itertools import count

import pytest

from protocol.clock import TimeControl
from protocol.messages import ErrorCode
from protocol.rules import KALAH, PRESETS
from server.lobby.request_book import Lobby, LobbyError, Wish
from server.model.match import Terms

TERMS = Terms(KALAH, TimeControl(), rated=True, games=2)


@pytest.fixture
def lobby() -> Lobby:
    """An empty lobby that allows two challenges a bot."""
    numbers = count(1)
    return Lobby(lambda: f"c{next(numbers)}", challenges=2)


def test_two_seeks_for_the_same_are_matched_and_the_earlier_is_named_first(lobby: Lobby) -> None:
    """Whoever waited is the first side of the match."""
    assert lobby.seek(Wish("ann", TERMS)) is None
    pairing = lobby.seek(Wish("bob", TERMS))
    assert pairing is not None
    assert pairing.names == ("ann", "bob")
    assert lobby.seek(Wish("cyd", TERMS)) is None, "both seeks were used up"


@pytest.mark.parametrize(
    "other",
    [
        TERMS._replace(rules=PRESETS["article"]),
        TERMS._replace(clock=TimeControl(move_ms=1)),
        TERMS._replace(rated=False),
        TERMS._replace(games=4),
    ],
)
def test_seeks_that_differ_in_anything_are_not_matched(lobby: Lobby, other: Terms) -> None:
    """Rules, clock, rating and number of games must all agree."""
    lobby.seek(Wish("ann", TERMS))
    assert lobby.seek(Wish("bob", other)) is None


def test_a_named_opponent_is_the_only_one_matched_whoever_came_first(lobby: Lobby) -> None:
    """The filter holds in both directions."""
    lobby.seek(Wish("ann", TERMS, opponent="cyd"))
    assert lobby.seek(Wish("bob", TERMS)) is None
    assert lobby.seek(Wish("dan", TERMS, opponent="ann")) is None
    pairing = lobby.seek(Wish("cyd", TERMS))
    assert pairing is not None
    assert pairing.names == ("ann", "cyd")


def test_the_longest_waiting_seek_is_matched_first(lobby: Lobby) -> None:
    """Among seeks that suit, order of arrival decides."""
    lobby.seek(Wish("ann", TERMS, opponent="cyd"))
    lobby.seek(Wish("bob", TERMS, opponent="cyd"))
    pairing = lobby.seek(Wish("cyd", TERMS))
    assert pairing is not None
    assert pairing.names[0] == "ann"


def test_a_bot_is_never_matched_with_itself(lobby: Lobby) -> None:
    """A second seek takes the place of the first."""
    lobby.seek(Wish("ann", TERMS))
    assert lobby.seek(Wish("ann", TERMS)) is None
    assert lobby.wish("ann") == Wish("ann", TERMS)


def test_a_withdrawn_seek_is_not_matched(lobby: Lobby) -> None:
    """After unseek nobody waits."""
    lobby.seek(Wish("ann", TERMS))
    lobby.unseek("ann")
    assert lobby.seek(Wish("bob", TERMS)) is None


def test_a_challenge_is_accepted_by_whom_it_names_once(lobby: Lobby) -> None:
    """Nobody else may accept it, and not twice."""
    offer = lobby.challenge("ann", "bob", TERMS)
    for name in ("ann", "cyd"):
        with pytest.raises(LobbyError) as unknown:
            lobby.accept(offer.id, name)
        assert unknown.value.code is ErrorCode.UNKNOWN_CHALLENGE
    assert lobby.accept(offer.id, "bob").names == ("ann", "bob")
    with pytest.raises(LobbyError):
        lobby.accept(offer.id, "bob")


def test_either_side_may_decline_and_nobody_else(lobby: Lobby) -> None:
    """The challenger takes back, the challenged refuses."""
    first, second = (lobby.challenge("ann", "bob", TERMS) for _ in range(2))
    with pytest.raises(LobbyError):
        lobby.decline(first.id, "cyd")
    assert lobby.decline(first.id, "ann") == first
    assert lobby.decline(second.id, "bob") == second


def test_challenges_of_one_bot_are_limited(lobby: Lobby) -> None:
    """The third is one too many here; another bot still may."""
    lobby.challenge("ann", "bob", TERMS)
    lobby.challenge("ann", "cyd", TERMS)
    with pytest.raises(LobbyError) as full:
        lobby.challenge("ann", "dan", TERMS)
    assert full.value.code is ErrorCode.LIMIT
    assert lobby.challenge("bob", "ann", TERMS).by == "bob"


def test_who_goes_takes_all_its_challenges_along(lobby: Lobby) -> None:
    """Made and received alike."""
    mine = lobby.challenge("ann", "bob", TERMS)
    theirs = lobby.challenge("cyd", "ann", TERMS)
    other = lobby.challenge("cyd", "bob", TERMS)
    assert lobby.withdraw("ann") == [mine, theirs]
    assert lobby.accept(other.id, "bob").names == ("cyd", "bob")
