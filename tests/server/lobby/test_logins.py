"""Who may log in, and who may take a seat back."""

from collections.abc import Callable

import pytest
from msgspec.structs import asdict

from mancala.protocol import messages as wire
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, Limits
from mancala.server.lobby.logins import announced
from mancala.server.match.participant import secret_hash
from mancala.server.model.journal import LadderJoined, SessionClosed, SessionOpened
from mancala.server.model.orders import Ban, BanKind
from tests.server.fakes import UTC, FakeTokens, Harness, answer, paired

GOOD, WRONG = "good", "wrong"


class SlowTokens(FakeTokens):
    """Knows every session, and says so at :meth:`settle`."""

    def __init__(self) -> None:
        super().__init__()
        self._asked: list[Callable[[bool], None]] = []

    def verify_session(self, secret_hash: str, answer: Callable[[bool], None]) -> None:
        del secret_hash
        self._asked.append(answer)

    def settle(self) -> None:
        for asked in self._asked:
            asked(True)  # the session is valid


def test_hello_is_answered_with_what_resumes_it_and_the_limits(harness: Harness) -> None:
    """The session is journalled by its secret's hash before welcome is said."""
    harness.journal.is_slow = True
    ann = harness.greet("ann")
    assert not ann.told
    harness.journal.settle()
    welcome = ann.last(wire.Welcome)
    assert not welcome.resumed
    assert welcome.limits.grace_s == harness.config.grace_s
    assert harness.journal.kept(SessionOpened) == [
        SessionOpened(secret_hash(welcome.session), "ann", None)
    ]


def test_another_version_is_refused_for_good(harness: Harness) -> None:
    """The error names both versions."""
    seat = harness.connect()
    harness.say(seat, wire.Hello("mancala.v9", "ann"))
    assert seat.code is wire.ErrorCode.UNSUPPORTED_PROTOCOL
    assert wire.VERSION in seat.last(wire.Error).message
    assert seat.closed is not None


def test_a_session_that_can_not_be_stored_is_refused(harness: Harness) -> None:
    """The bot gets the error and no welcome, and its name stays free."""
    harness.journal.refuses = lambda entry: isinstance(entry, SessionOpened)
    ann = harness.greet("ann")
    assert (ann.code, ann.last(wire.Error).fatal) == (wire.ErrorCode.INTERNAL, True)
    assert ann.of(wire.Welcome) == []
    harness.journal.refuses = lambda _entry: False
    assert harness.greet("ann").of(wire.Welcome)


def test_no_guest_has_the_name_of_a_level(harness: Harness) -> None:
    """Also where no levels run: pages show a bot of such a name as a level, with its face."""
    assert not harness.config.play.levels
    for name in ("level-9", "LEVEL-10"):
        assert harness.greet(name).code is wire.ErrorCode.BAD_TOKEN
    assert harness.greet("level-11").of(wire.Welcome)
    assert harness.greet("level-1", token=GOOD).of(wire.Welcome)  # issued by the operator


def test_a_name_in_use_is_taken_until_its_bearer_leaves(harness: Harness) -> None:
    """After a goodbye the name is free."""
    first = harness.greet("ann")
    second = harness.greet("ann")
    assert second.code is wire.ErrorCode.BAD_NAME
    assert "taken" in second.last(wire.Error).message
    harness.say(first, wire.Goodbye())
    assert harness.greet("ann").of(wire.Welcome)


@pytest.mark.parametrize("is_away", [True, False])
def test_a_killed_bot_with_a_token_is_back_immediately(
    harness: Harness,
    is_away: bool,  # noqa: FBT001  # whether its former connection is known to be gone
) -> None:
    """It has its seat again, with the open question and a new secret; the old one is void."""
    ann, bob = harness.greet("ann", token=GOOD), harness.greet("bob")
    harness.say_all(wire.Seek(), ann, bob)
    if is_away:
        harness.drop(ann)
    again = harness.greet("ann", token=GOOD)
    assert again.last(wire.Welcome).resumed
    assert again.secret != ann.secret
    assert again.last(wire.Turn) == ann.last(wire.Turn)
    assert is_away or ann.closed == ("replaced", None, 4001)
    answer(harness, again)
    assert bob.of(wire.Moved)
    for seat, expected in ((ann, wire.ErrorCode.BAD_RESUME), (again, None)):
        resumed = harness.greet("ann", resume=seat.secret)
        assert [error.code for error in resumed.of(wire.Error)] == ([expected] if expected else [])


def test_a_bot_with_a_token_that_has_no_game_begins_anew(harness: Harness) -> None:
    """Its former connection is closed, and asks for nothing any more."""
    former = harness.greet("ann", token=GOOD)
    harness.say(former, wire.Seek())
    again = harness.greet("ann", token=GOOD)
    assert not again.last(wire.Welcome).resumed
    assert former.closed == ("replaced", None, 4001)
    harness.drop(former)
    harness.say(harness.greet("bob"), wire.Seek())
    assert not again.of(wire.GameStart)


def test_no_stranger_takes_a_seat_over(harness: Harness) -> None:
    """Neither a guest's, with or without a token, nor that of a bot with one."""
    ann, bob = paired(harness)
    harness.drop(ann)
    assert harness.greet("ann", token=GOOD).code is wire.ErrorCode.BAD_NAME
    assert harness.greet("bob").code is wire.ErrorCode.BAD_NAME
    cy, dan = harness.greet("cy", token=GOOD), harness.greet("dan")
    harness.say_all(wire.Seek(), cy, dan)
    assert harness.greet("cy").code is wire.ErrorCode.BAD_NAME
    assert harness.greet("cy", token=WRONG).code is wire.ErrorCode.BAD_TOKEN
    assert cy.closed is None
    assert bob.closed is None


def test_a_seat_that_is_taken_over_keeps_its_ladder_and_its_secret_in_the_journal() -> None:
    """A restart knows the new secret only, and the membership."""
    harness = Harness(Config(ladder=(LadderSettings(name="main"),)))
    ann, bob = harness.greet("ann", token=GOOD), harness.greet("bob", token=GOOD)
    harness.say_all(wire.Join("main"), ann, bob)
    harness.clock.pass_by(0.0)
    again = harness.greet("ann", token=GOOD)
    key = secret_hash(again.secret)
    assert SessionClosed(secret_hash(ann.secret)) in harness.journal.entries
    assert harness.journal.entries[-1] == LadderJoined("main", key)


def test_a_takeover_that_can_not_be_stored_changes_nothing(harness: Harness) -> None:
    """The former secret still resumes the seat."""
    ann, bob = harness.greet("ann", token=GOOD), harness.greet("bob")
    harness.say_all(wire.Seek(), ann, bob)
    harness.journal.refuses = lambda entry: isinstance(entry, SessionOpened)
    assert harness.greet("ann", token=GOOD).code is wire.ErrorCode.INTERNAL
    assert harness.greet("ann", resume=ann.secret).last(wire.Welcome).resumed


def test_a_wrong_token_is_refused(harness: Harness) -> None:
    """The door's word is passed on."""
    assert harness.greet("ann", token=WRONG).code is wire.ErrorCode.BAD_TOKEN


def test_a_client_that_leaves_before_the_welcome_leaves_no_trace(harness: Harness) -> None:
    """A connection lost while the journal works frees its name."""
    harness.journal.is_slow = True
    ann = harness.greet("ann")
    harness.drop(ann)
    harness.journal.is_slow = False
    harness.journal.settle()
    assert harness.greet("ann").of(wire.Welcome)


@pytest.mark.parametrize("name", ["ann", "bob"])
def test_a_secret_that_fits_no_client_of_that_name_is_refused_for_good(
    harness: Harness, name: str
) -> None:
    """Forged secrets, and true ones under another name."""
    secret = harness.greet("ann").last(wire.Welcome).session if name == "bob" else "forged"
    seat = harness.greet(name, resume=secret)
    assert seat.code is wire.ErrorCode.BAD_RESUME
    assert seat.last(wire.Error).fatal


def test_a_ban_of_the_moment_keeps_out_one_that_takes_its_session_back() -> None:
    """The ban is of the address that it comes from now, and holds once its token was checked."""
    tokens = SlowTokens()
    harness = Harness(tokens=tokens)
    ann = harness.greet("ann", token=GOOD)
    harness.drop(ann)
    again = harness.connect(address="203.0.113.7")
    harness.say(again, wire.Hello(wire.VERSION, "ann", resume=ann.secret))
    harness.sessions.orders.ban(Ban(BanKind.ADDRESS, "203.0.113.0/24", "", None, UTC, "root"))
    tokens.settle()
    assert again.code is wire.ErrorCode.FORBIDDEN
    assert not again.of(wire.Welcome)


def test_every_limit_is_stated_as_it_is_set() -> None:
    """None is left out, and each has the value of its setting."""
    found = asdict(announced(Config(grace_s=9.0, limits=Limits(tables=7, flood_s=3.0))))
    assert None not in found.values()
    assert (found["tables"], found["flood_s"], found["grace_s"]) == (7, 3.0, 9.0)
