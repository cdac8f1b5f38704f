"""Who may come in, come back, and ask for what."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from protocol.clock import TimeControl
from protocol.messages import (
    VERSION,
    Accept,
    Challenge,
    Challenged,
    Decline,
    Error,
    ErrorCode,
    GameOver,
    GameStart,
    Goodbye,
    Hello,
    Join,
    MatchOver,
    Message,
    Moved,
    Reason,
    Resign,
    Seek,
    Seeking,
    Turn,
    Unseek,
    Watch,
    Welcome,
)
from protocol.rules import PRESETS
from server.config.settings import Config, Limits
from server.lobby.requests import CHALLENGES_BURST
from server.match.participant import secret_hash
from server.model.journal import SessionClosed, SessionOpened
from tests.server.fakes import FakeSeat, Harness, answer, paired, play_out


@pytest.fixture
def harness() -> Harness:
    """A session registry without participants."""
    return Harness()


# Coming in


def test_hello_is_answered_with_what_resumes_it_and_the_limits(harness: Harness) -> None:
    """The session is journalled by its secret's hash before welcome is said."""
    harness.journal.is_slow = True
    ann = harness.greet("ann")
    assert not ann.told
    harness.journal.settle()
    welcome = ann.last(Welcome)
    assert not welcome.resumed
    assert welcome.limits.grace_s == harness.config.grace_s
    assert harness.journal.kept(SessionOpened) == [
        SessionOpened(secret_hash(welcome.session), "ann", None)
    ]


def test_another_version_is_refused_for_good(harness: Harness) -> None:
    """The error names both versions."""
    seat = harness.connect()
    harness.say(seat, Hello("mancala.v9", "ann"))
    assert seat.last(Error).code is ErrorCode.UNSUPPORTED_PROTOCOL
    assert VERSION in seat.last(Error).message
    assert seat.parted is not None


def test_a_session_that_can_not_be_stored_is_refused(harness: Harness) -> None:
    """The bot gets the error and no welcome, and its name stays free."""
    harness.journal.refuses = lambda entry: isinstance(entry, SessionOpened)
    ann = harness.greet("ann")
    assert (ann.last(Error).code, ann.last(Error).fatal) == (ErrorCode.INTERNAL, True)
    assert ann.of(Welcome) == []
    harness.journal.refuses = lambda _entry: False
    assert harness.greet("ann").of(Welcome)


def test_a_name_in_use_is_taken_until_its_bearer_leaves(harness: Harness) -> None:
    """After a goodbye the name is free."""
    first = harness.greet("ann")
    second = harness.greet("ann")
    assert second.last(Error).code is ErrorCode.BAD_NAME
    assert "taken" in second.last(Error).message
    harness.say(first, Goodbye())
    assert harness.greet("ann").of(Welcome)


def test_an_idle_bot_that_dropped_does_not_keep_its_name(harness: Harness) -> None:
    """Without a game there is nothing to keep the name for."""
    harness.drop(harness.greet("ann"))
    assert harness.greet("ann").of(Welcome)


def test_a_bot_that_dropped_from_a_game_keeps_its_name(harness: Harness) -> None:
    """Its seat waits for its session's secret."""
    ann, _ = paired(harness)
    harness.drop(ann)
    assert harness.greet("ann").last(Error).code is ErrorCode.BAD_NAME


def test_a_wrong_token_is_refused(harness: Harness) -> None:
    """The door's word is passed on."""
    seat = harness.connect()
    harness.say(seat, Hello(VERSION, "ann", token="wrong"))  # noqa: S106  # no secret
    assert seat.last(Error).code is ErrorCode.BAD_TOKEN


def test_a_client_that_leaves_before_the_welcome_leaves_no_trace(harness: Harness) -> None:
    """A connection lost while the journal works frees its name."""
    harness.journal.is_slow = True
    ann = harness.greet("ann")
    harness.drop(ann)
    harness.journal.is_slow = False
    harness.journal.settle()
    assert harness.greet("ann").of(Welcome)


# Coming back


def test_resume_takes_seats_back_with_a_snapshot_and_the_question(harness: Harness) -> None:
    """The snapshot holds it all: position, moves, clocks, opponent, and whose turn it is."""
    ann, bob = paired(harness)
    answer(harness, ann)
    while len(ann.of(Turn)) < 2:
        answer(harness, bob)
    harness.drop(ann)
    again = harness.greet("ann", resume=ann.last(Welcome).session)
    assert again.last(Welcome).resumed
    assert again.last(Welcome).session == ann.last(Welcome).session
    start = again.last(GameStart)
    assert len(start.moves) == len(bob.of(Moved))
    assert start.state == bob.last(Moved).state
    assert start.opponent.present
    assert again.last(Turn).ply == len(start.moves)


def test_a_resumed_question_has_only_the_time_that_is_left(harness: Harness) -> None:
    """The clock ran on while the bot was away."""
    ann, _ = paired(harness)
    harness.drop(ann)
    harness.clock.pass_by(0.4)
    again = harness.greet("ann", resume=ann.last(Welcome).session)
    assert again.last(Turn).deadline_ms == pytest.approx(600, abs=1)


def test_the_opponent_is_told_who_is_away_when_it_comes_back_itself(harness: Harness) -> None:
    """Presence is part of the snapshot."""
    ann, bob = paired(harness)
    for seat in (ann, bob):
        harness.drop(seat)
    again = harness.greet("bob", resume=bob.last(Welcome).session)
    assert not again.last(GameStart).opponent.present


def test_resume_wins_over_a_connection_that_only_looks_alive(harness: Harness) -> None:
    """The old connection is closed and its end changes nothing."""
    ann, _ = paired(harness)
    again = harness.greet("ann", resume=ann.last(Welcome).session)
    assert ann.parted == ("replaced", None, 4001)
    harness.drop(ann)
    answer(harness, again)
    assert again.of(Moved)


@pytest.mark.parametrize("name", ["ann", "bob"])
def test_a_secret_that_fits_no_client_of_that_name_is_refused_for_good(
    harness: Harness, name: str
) -> None:
    """Forged secrets, and true ones under another name."""
    secret = harness.greet("ann").last(Welcome).session if name == "bob" else "forged"
    seat = harness.greet(name, resume=secret)
    assert seat.last(Error).code is ErrorCode.BAD_RESUME
    assert seat.last(Error).fatal


def test_a_session_ends_with_the_grace_time(harness: Harness) -> None:
    """After it the secret opens nothing, and the journal forgets it too."""
    ann = harness.greet("ann")
    harness.drop(ann)
    harness.clock.pass_by(31)
    assert len(harness.journal.kept(SessionClosed)) == 1
    assert harness.greet("ann", resume=ann.last(Welcome).session).of(Error)


def test_a_seek_rests_while_its_client_is_away(harness: Harness) -> None:
    """A bot that is away is never paired."""
    ann = harness.greet("ann")
    harness.say(ann, Seek())
    harness.drop(ann)
    bob = harness.greet("bob")
    harness.say(bob, Seek())
    assert not bob.of(GameStart)
    again = harness.greet("ann", resume=ann.last(Welcome).session)
    assert again.of(Seeking)
    assert again.of(GameStart)
    assert bob.of(GameStart)


def test_what_ended_while_away_is_told_on_return(harness: Harness) -> None:
    """The game, how it ended, and the match."""
    ann, bob = paired(harness, Seek(games=1))
    harness.drop(bob)
    harness.say(ann, Resign(ann.last(GameStart).game))
    again = harness.greet("bob", resume=bob.last(Welcome).session)
    assert again.last(GameOver).reason is Reason.RESIGNED
    assert again.last(MatchOver).score == {"ann": 0.0, "bob": 1.0}


# Asking


def test_two_seeks_make_a_match_and_the_first_is_asked(harness: Harness) -> None:
    """Both hear that their seek stands, then the game; only one is asked."""
    ann, bob = paired(harness)
    assert [type(message) for message in ann.told] == [Welcome, Seeking, GameStart, Turn]
    assert [type(message) for message in bob.told] == [Welcome, Seeking, GameStart]
    assert ann.last(GameStart).names == ("ann", "bob")
    assert (ann.last(GameStart).seat, bob.last(GameStart).seat) == (0, 1)


def test_rules_may_be_named_or_spelled_out(harness: Harness) -> None:
    """Both ways of saying the same thing are matched."""
    ann, bob = harness.greet("ann"), harness.greet("bob")
    harness.say(ann, Seek(rules="article"))
    harness.say(bob, Seek(rules=PRESETS["article"]))
    assert bob.last(GameStart).rules == PRESETS["article"]


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (Seek(rules="chess"), ErrorCode.INVALID),
        (Seek(games=5), ErrorCode.LIMIT),
        (Seek(opponent="ann"), ErrorCode.UNKNOWN_OPPONENT),
        (Challenge("nobody"), ErrorCode.UNKNOWN_OPPONENT),
        (Challenge("ann"), ErrorCode.UNKNOWN_OPPONENT),
        (Accept("nothing"), ErrorCode.UNKNOWN_CHALLENGE),
        (Decline("nothing"), ErrorCode.UNKNOWN_CHALLENGE),
        (Join("none"), ErrorCode.UNKNOWN_LADDER),
        (Watch(ladder="none"), ErrorCode.UNKNOWN_LADDER),
        (Watch(game="none"), ErrorCode.UNKNOWN_GAME),
        (Watch(), ErrorCode.INVALID),
        (Watch(game="a", ladder="b"), ErrorCode.INVALID),
    ],
)
def test_what_can_not_be_had_is_refused_and_the_talk_goes_on(
    wanted: Message, code: ErrorCode
) -> None:
    """The error has its code, and isn't the end."""
    harness = Harness(Config(limits=Limits(games=4)))
    ann = harness.greet("ann")
    harness.say(ann, wanted)
    assert ann.last(Error).code is code
    assert not ann.last(Error).fatal
    assert ann.parted is None


def test_an_unseek_is_heeded(harness: Harness) -> None:
    """A withdrawn seek is not matched."""
    ann, bob = harness.greet("ann"), harness.greet("bob")
    harness.say(ann, Seek(), Unseek())
    harness.say(bob, Seek())
    assert not bob.of(GameStart)


def test_a_challenge_is_told_to_both_and_its_acceptance_begins_the_match(harness: Harness) -> None:
    """The challenger is named first."""
    ann, bob = harness.greet("ann"), harness.greet("bob")
    harness.say(ann, Challenge("bob", clock=TimeControl(move_ms=50), rated=False, games=4))
    assert ann.last(Challenged) == bob.last(Challenged)
    harness.say(bob, Accept(bob.last(Challenged).challenge))
    start = bob.last(GameStart)
    assert start.names == ("ann", "bob")
    assert (start.clock.move_ms, start.rated) == (50, False)


def test_a_bot_whose_welcome_is_under_way_is_not_challenged_yet(harness: Harness) -> None:
    """It may be told nothing before its welcome; the challenger hears that it is not here."""
    ann = harness.greet("ann")
    harness.journal.is_slow = True
    bob = harness.greet("bob")
    harness.say(ann, Challenge("bob"))
    assert ann.last(Error).code is ErrorCode.UNKNOWN_OPPONENT
    harness.journal.is_slow = False
    harness.journal.settle()
    harness.say(ann, Challenge("bob"))
    assert bob.last(Challenged).by == "ann"


def test_a_bot_is_challenged_no_faster_than_it_can_answer(harness: Harness) -> None:
    """The guests of an address count together; a second later they may challenge again."""
    ann, eve = (harness.greet(name) for name in ("ann", "eve"))
    bob, dan = harness.greet("bob"), harness.greet("dan")
    for number in range(CHALLENGES_BURST):
        harness.say((ann, eve)[number % 2], Challenge("bob"))
        harness.say(bob, Decline(bob.last(Challenged).challenge))
    for guest in (ann, eve):
        harness.say(guest, Challenge("bob"))
        assert guest.last(Error).code is ErrorCode.LIMIT
    assert len(bob.of(Challenged)) == CHALLENGES_BURST
    harness.say(eve, Challenge("dan"))
    assert dan.last(Challenged).by == "eve"
    harness.clock.pass_by(1.0)
    harness.say(ann, Challenge("bob"))
    assert bob.last(Challenged).by == "ann"
    assert len(bob.of(Challenged)) == CHALLENGES_BURST + 1


def test_guests_of_an_address_do_not_take_all_places_of_a_bot(harness: Harness) -> None:
    """At most three matches with it at the same time, open challenges included."""
    bob, guests = harness.greet("bob"), [harness.greet(f"guest-{number}") for number in range(4)]
    for guest in guests[:3]:
        harness.say(guest, Challenge("bob"))
    harness.say(bob, Accept(bob.last(Challenged).challenge))
    harness.say(guests[3], Challenge("bob"))
    assert guests[3].last(Error).code is ErrorCode.LIMIT
    assert len(bob.of(Challenged)) == 3
    harness.say(bob, Decline(bob.of(Challenged)[0].challenge))
    harness.say(guests[3], Challenge("bob"))
    assert bob.last(Challenged).by == "guest-3"


def decline(harness: Harness, bob: FakeSeat) -> None:
    """Refuse the token."""
    harness.say(bob, Decline(bob.last(Challenged).challenge, "busy"))


@pytest.mark.parametrize("end", [decline, Harness.drop])
def test_the_challenger_hears_when_it_came_to_nothing(
    harness: Harness, end: Callable[[Harness, FakeSeat], None]
) -> None:
    """Declined, or the other bot is gone; the error refers to the challenge."""
    ann, bob = harness.greet("ann"), harness.greet("bob")
    harness.say(ann, Challenge("bob"))
    end(harness, bob)
    assert ann.last(Error).code is ErrorCode.DECLINED
    assert ann.last(Error).ref == ann.last(Challenged).challenge


# Leaving


def test_a_goodbye_in_mid_game_loses_it_and_ends_the_match(harness: Harness) -> None:
    """The other bot isn't made to wait for the games that will not be."""
    ann, bob = paired(harness, Seek(games=6))
    answer(harness, ann)
    harness.say(ann, Goodbye())
    assert bob.last(GameOver).reason is Reason.DISCONNECTED
    assert bob.last(GameOver).winner == 1
    assert bob.last(MatchOver).score == {"ann": 0.0, "bob": 1.0}
    assert ann.parted == ("goodbye", None, 1000)


def test_a_goodbye_before_the_first_move_aborts_the_game(harness: Harness) -> None:
    """A bot that ends after its running game can't help that the next one has begun."""
    ann, bob = paired(harness)
    harness.say(bob, Goodbye())
    assert ann.last(GameOver).reason is Reason.ABORTED
    assert ann.last(MatchOver).score == {"ann": 0.0, "bob": 0.0}


def test_breaking_the_protocol_loses_every_running_game_with_what_was_received(
    harness: Harness,
) -> None:
    """The evidence shows the beginning of the frame; the session can't be resumed."""
    ann, bob = paired(harness)
    harness.sessions.broken(ann, "not JSON", "%$&")
    over = bob.last(GameOver)
    assert (over.reason, over.winner) == (Reason.PROTOCOL, 1)
    assert over.evidence is not None
    assert (over.evidence.player, over.evidence.received) == (0, "%$&")
    harness.drop(ann)
    again = harness.greet("ann", resume=ann.last(Welcome).session)
    assert again.last(Error).code is ErrorCode.BAD_RESUME


def test_who_broke_the_protocol_is_expelled_after_the_ends_of_its_games(harness: Harness) -> None:
    """The connection closes when the games' ends were sent; without games, immediately."""
    ann, _ = paired(harness)
    ends: list[int] = []
    harness.sessions.broken(ann, "not JSON", "", part=lambda: ends.append(len(ann.of(MatchOver))))
    idle = harness.greet("cyd")
    harness.sessions.broken(idle, "not JSON", "", part=lambda: ends.append(-1))
    assert ends == [1, -1]


# Stopping


def test_a_draining_server_begins_nothing_and_tells_when_the_last_game_is_over(
    harness: Harness,
) -> None:
    """The running game is finished, the match's next one isn't begun."""
    ann, bob = paired(harness)
    idle: list[str] = []
    harness.sessions.drain(lambda: idle.append("idle"))
    harness.say(ann, Seek())
    assert ann.last(Error).code is ErrorCode.SHUTTING_DOWN
    assert harness.greet("cyd").last(Error).code is ErrorCode.SHUTTING_DOWN
    assert not idle
    play_out(harness, ann, bob)
    assert idle == ["idle"]
    assert len(ann.of(GameStart)) == 1
    assert not ann.of(MatchOver)


def test_a_draining_server_opens_no_table_for_what_was_agreed_before(harness: Harness) -> None:
    """Neither for a challenge that is accepted now nor for a seek that is taken up again."""
    ann, bob, cyd, dan = (harness.greet(name) for name in ("ann", "bob", "cyd", "dan"))
    harness.say(ann, Challenge("bob"))
    harness.say(cyd, Seek())
    harness.drop(cyd)
    harness.say(dan, Seek())
    harness.sessions.drain(lambda: None)
    harness.say(bob, Accept(bob.last(Challenged).challenge))
    assert bob.last(Error).code is ErrorCode.SHUTTING_DOWN
    assert harness.greet("cyd", resume=cyd.last(Welcome).session).last(Welcome).resumed
    assert not any(seat.of(GameStart) for seat in (ann, bob, dan))


def test_a_challenge_can_not_be_accepted_beyond_the_limit() -> None:
    """A bot at its limit must finish a match first."""
    harness = Harness(Config(limits=Limits(tables=1)))
    _, bob = paired(harness)
    cyd = harness.greet("cyd")
    harness.say(cyd, Challenge("bob"))
    harness.say(bob, Accept(bob.last(Challenged).challenge))
    assert bob.last(Error).code is ErrorCode.LIMIT


def test_all_clients_hear_when_to_come_back(harness: Harness) -> None:
    """Goodbye with the reason and the wait."""
    ann = harness.greet("ann")
    harness.sessions.dismiss("restarting", 2.5, 1012)
    assert ann.parted == ("restarting", 2.5, 1012)
