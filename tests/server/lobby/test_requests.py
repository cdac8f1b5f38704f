"""Who may ask for which match, and when it begins."""

from collections.abc import Callable

import pytest

from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from mancala.protocol.rules import PRESETS, Board
from mancala.server.config.settings import Config, Limits
from tests.server.fakes import FakeSeat, Harness, paired


def test_two_seeks_make_a_match_and_the_first_is_asked(harness: Harness) -> None:
    """Both hear that their seek stands, then the game; only one is asked."""
    ann, bob = paired(harness)
    assert [type(message) for message in ann.told] == [
        wire.Welcome,
        wire.Seeking,
        wire.GameStart,
        wire.Turn,
    ]
    assert [type(message) for message in bob.told] == [wire.Welcome, wire.Seeking, wire.GameStart]
    assert ann.last(wire.GameStart).names == ("ann", "bob")
    assert (ann.last(wire.GameStart).seat, bob.last(wire.GameStart).seat) == (0, 1)


def test_rules_may_be_named_or_spelled_out(harness: Harness) -> None:
    """Both ways of saying the same thing are matched."""
    ann, bob = harness.greet_all("ann", "bob")
    harness.say(ann, wire.Seek(rules="article"))
    harness.say(bob, wire.Seek(rules=PRESETS["article"]))
    assert bob.last(wire.GameStart).rules == PRESETS["article"]


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (wire.Seek(rules="chess"), wire.ErrorCode.INVALID),
        (wire.Seek(games=5), wire.ErrorCode.LIMIT),
        (wire.Seek(opponent="ann"), wire.ErrorCode.UNKNOWN_OPPONENT),
        (wire.Challenge("nobody"), wire.ErrorCode.UNKNOWN_OPPONENT),
        (wire.Challenge("ann"), wire.ErrorCode.UNKNOWN_OPPONENT),
        (
            wire.Challenge("bob", opening="<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>"),
            wire.ErrorCode.INVALID,
        ),  # rated
        (wire.Challenge("bob", rated=False, opening="<2,0,0,1,1,1,1>"), wire.ErrorCode.INVALID),
        (wire.Challenge("bob", rated=False, opening="a board"), wire.ErrorCode.INVALID),
        (wire.Accept("nothing"), wire.ErrorCode.UNKNOWN_CHALLENGE),
        (wire.Decline("nothing"), wire.ErrorCode.UNKNOWN_CHALLENGE),
        (wire.Join("none"), wire.ErrorCode.UNKNOWN_LADDER),
        (wire.Watch(ladder="none"), wire.ErrorCode.UNKNOWN_LADDER),
        (wire.Watch(game="none"), wire.ErrorCode.UNKNOWN_GAME),
        (wire.Watch(), wire.ErrorCode.INVALID),
        (wire.Watch(game="a", ladder="b"), wire.ErrorCode.INVALID),
    ],
)
def test_what_can_not_be_had_is_refused_and_the_talk_goes_on(
    wanted: wire.Message, code: wire.ErrorCode
) -> None:
    """The error has its code, and isn't the end."""
    harness = Harness(Config(limits=Limits(games=4)))
    ann = harness.greet("ann")
    harness.say(ann, wanted)
    assert ann.code is code
    assert not ann.last(wire.Error).fatal
    assert ann.closed is None


def test_an_unseek_is_heeded(harness: Harness) -> None:
    """A withdrawn seek is not matched."""
    ann, bob = harness.greet_all("ann", "bob")
    harness.say(ann, wire.Seek(), wire.Unseek())
    harness.say(bob, wire.Seek())
    assert not bob.of(wire.GameStart)


def test_a_challenge_is_told_to_both_and_its_acceptance_begins_the_match(harness: Harness) -> None:
    """The challenger is named first."""
    ann, bob = harness.greet_all("ann", "bob")
    harness.say(ann, wire.Challenge("bob", clock=TimeControl(move_ms=50), rated=False, games=4))
    assert ann.last(wire.Challenged) == bob.last(wire.Challenged)
    harness.say(bob, wire.Accept(bob.last(wire.Challenged).challenge))
    start = bob.last(wire.GameStart)
    assert start.names == ("ann", "bob")
    assert (start.clock.move_ms, start.rated) == (50, False)


def test_the_games_of_a_challenge_start_from_its_opening(harness: Harness) -> None:
    """Both sides read it before; the first seat is to move, whichever bot has it."""
    text = "<6,9,5,0,0,3,0,1,2,4,0,7,8,0,9>"
    ann, bob = harness.greet_all("ann", "bob")
    harness.say(ann, wire.Challenge("bob", rated=False, seat=1, opening=text))
    assert ann.last(wire.Challenged).opening == bob.last(wire.Challenged).opening == text
    harness.say(bob, wire.Accept(bob.last(wire.Challenged).challenge))
    assert bob.last(wire.GameStart).state == Board.from_text(text).state
    assert bob.last(wire.Turn).legal == (2, 4, 5)


def test_a_bot_whose_welcome_is_under_way_is_not_challenged_yet(harness: Harness) -> None:
    """It may be told nothing before its welcome; the challenger hears that it is not here."""
    ann = harness.greet("ann")
    harness.journal.is_slow = True
    bob = harness.greet("bob")
    harness.say(ann, wire.Challenge("bob"))
    assert ann.code is wire.ErrorCode.UNKNOWN_OPPONENT
    harness.journal.is_slow = False
    harness.journal.settle()
    harness.say(ann, wire.Challenge("bob"))
    assert bob.last(wire.Challenged).by == "ann"


def decline(harness: Harness, bob: FakeSeat) -> None:
    harness.say(bob, wire.Decline(bob.last(wire.Challenged).challenge, "busy"))


@pytest.mark.parametrize("end", [decline, Harness.drop])
def test_the_challenger_hears_when_it_came_to_nothing(
    harness: Harness, end: Callable[[Harness, FakeSeat], None]
) -> None:
    """Declined, or the other bot is gone; the error refers to the challenge."""
    ann, bob = harness.greet_all("ann", "bob")
    harness.say(ann, wire.Challenge("bob"))
    end(harness, bob)
    assert ann.code is wire.ErrorCode.DECLINED
    assert ann.last(wire.Error).ref == ann.last(wire.Challenged).challenge


def test_seeks_that_differ_say_so_to_both(harness: Harness) -> None:
    """Neither waits in silence: each reads how many others seek, and what differs."""
    ann, bob, cyd = harness.greet_all("ann", "bob", "cyd")
    harness.say(ann, wire.Seek(games=2))
    assert ann.last(wire.Seeking).others is None
    harness.say(bob, wire.Seek(games=4, clock=TimeControl(move_ms=50)))
    assert bob.last(wire.Seeking).others == wire.OtherSeeks(1, games=1, clock=1)
    assert ann.last(wire.Seeking).others == wire.OtherSeeks(1, games=1, clock=1)
    harness.say(cyd, wire.Seek(games=2, opponent="dan"))
    assert cyd.last(wire.Seeking).others == wire.OtherSeeks(2, games=1, clock=1, opponent=2)
    told = [message for message in ann.told if isinstance(message, wire.Seeking)]
    assert len(told) == 2, "only the first other is reported"
    harness.say(bob, wire.Seek(games=2))
    assert bob.last(wire.Seeking).others is None
    assert ann.last(wire.GameStart).names == ("ann", "bob")
