"""How fast one bot is challenged, by one name and by the guests of one address."""

from mancala.protocol.messages import Accept, Challenge, Challenged, Decline, Error, ErrorCode
from mancala.server.lobby.requests import (
    APART_S,
    CHALLENGES_BURST,
    LONGEST_DELAY_S,
    MATCHES_WITH_ONE,
)
from tests.server.fakes import Harness


def test_a_bot_is_challenged_no_faster_than_it_can_answer(harness: Harness) -> None:
    """Neither by one name, which is refused for a second; others still may."""
    ann, eve, bob = harness.greet_all("ann", "eve", "bob")
    for _ in range(CHALLENGES_BURST):
        harness.say(ann, Challenge("bob"))
        harness.say(bob, Decline(bob.last(Challenged).challenge))
    harness.say(ann, Challenge("bob"))
    assert "you challenged bob too often" in ann.last(Error).message
    harness.say(eve, Challenge("bob"))
    assert not eve.of(Error)
    harness.clock.pass_by(1.0)
    assert bob.last(Challenged).by == "eve"
    harness.say(ann, Challenge("bob"))
    harness.clock.pass_by(1.0)
    assert bob.last(Challenged).by == "ann"


def test_a_guest_has_a_few_matches_with_the_same_bot(harness: Harness) -> None:
    """Three at the same time, open challenges included."""
    ann, bob = harness.greet_all("ann", "bob")
    harness.say(ann, *(Challenge("bob") for _ in range(MATCHES_WITH_ONE)))
    harness.say(bob, Accept(bob.last(Challenged).challenge))
    harness.say(ann, Challenge("bob"))
    assert ann.code is ErrorCode.LIMIT
    harness.say(bob, Decline(bob.of(Challenged)[0].challenge))
    harness.say(ann, Challenge("bob"))
    assert len(bob.of(Challenged)) == MATCHES_WITH_ONE + 1


def test_neighbours_slow_one_another_and_refuse_none(harness: Harness) -> None:
    """Challenges from one address reach a bot one after another; what is withdrawn never does."""
    bob = harness.greet("bob")
    guests = [harness.greet(f"guest-{number}") for number in range(MATCHES_WITH_ONE + 3)]
    harness.say_all(Challenge("bob"), *guests)
    assert all(guest.of(Challenged) and not guest.of(Error) for guest in guests)
    harness.clock.pass_by(0.0)
    assert len(bob.of(Challenged)) == MATCHES_WITH_ONE + 1
    harness.say(guests[-1], Decline(guests[-1].last(Challenged).challenge))
    harness.clock.pass_by(APART_S)
    assert len(bob.of(Challenged)) == MATCHES_WITH_ONE + 2
    harness.clock.pass_by(LONGEST_DELAY_S)
    assert len(bob.of(Challenged)) == MATCHES_WITH_ONE + 2
