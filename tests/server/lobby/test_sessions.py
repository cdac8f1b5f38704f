"""How a server stops."""

from mancala.protocol import messages as wire
from mancala.server.config.settings import Config, Limits
from tests.server.fakes import Harness, paired, play_out


def test_a_draining_server_begins_nothing_and_tells_when_the_last_game_is_over(
    harness: Harness,
) -> None:
    """The running game is finished, the match's next one isn't begun."""
    ann, bob = paired(harness)
    idle: list[str] = []
    harness.sessions.drain(lambda: idle.append("idle"))
    harness.say(ann, wire.Seek())
    assert ann.code is wire.ErrorCode.SHUTTING_DOWN
    assert harness.greet("cyd").code is wire.ErrorCode.SHUTTING_DOWN
    assert not idle
    play_out(harness, ann, bob)
    assert idle == ["idle"]
    assert len(ann.of(wire.GameStart)) == 1
    assert not ann.of(wire.MatchOver)


def test_a_draining_server_opens_no_table_for_what_was_agreed_before(harness: Harness) -> None:
    """Neither for a challenge that is accepted now nor for a seek that is taken up again."""
    ann, bob, cyd, dan = harness.greet_all("ann", "bob", "cyd", "dan")
    harness.say(ann, wire.Challenge("bob"))
    harness.say(cyd, wire.Seek())
    harness.drop(cyd)
    harness.say(dan, wire.Seek())
    harness.sessions.drain(lambda: None)
    harness.say(bob, wire.Accept(bob.last(wire.Challenged).challenge))
    assert bob.code is wire.ErrorCode.SHUTTING_DOWN
    assert harness.greet("cyd", resume=cyd.secret).last(wire.Welcome).resumed
    assert not any(seat.of(wire.GameStart) for seat in (ann, bob, dan))


def test_a_challenge_can_not_be_accepted_beyond_the_limit() -> None:
    """A bot at its limit must finish a match first."""
    harness = Harness(Config(limits=Limits(tables=1)))
    _, bob = paired(harness)
    cyd = harness.greet("cyd")
    harness.say(cyd, wire.Challenge("bob"))
    harness.say(bob, wire.Accept(bob.last(wire.Challenged).challenge))
    assert bob.code is wire.ErrorCode.LIMIT


def test_all_clients_hear_when_to_come_back(harness: Harness) -> None:
    """Goodbye with the reason and the wait."""
    ann = harness.greet("ann")
    harness.sessions.dismiss("restarting", 2.5, 1012)
    assert ann.closed == ("restarting", 2.5, 1012)
