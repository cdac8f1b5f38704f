"""What becomes of games of the programs that a server runs itself."""

from math import inf

import pytest

from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from mancala.protocol.referee import EXCUSED_S
from mancala.protocol.rules import KALAH
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, Limits
from mancala.server.match.participant import secret_hash
from mancala.server.model.day_counts import Counted
from mancala.server.model.journal import KeptMatch, KeptSession, SessionOpened
from mancala.server.model.match import Match, Terms
from mancala.server.net.arrivals.arrival import Arrival
from tests.server.fakes import UTC, FakeSeat, Harness, answer

CONFIG = Config(grace_s=30.0, ladder=(LadderSettings(name="main", house={"home": "random"}),))
GAMES = 2
AWAY_S = 300.0
"""Ten times the grace time, and shorter than what is excused."""


@pytest.fixture
def harness() -> Harness:
    """A server whose house is called ``home``."""
    return Harness(CONFIG)


def restored(*, is_guest: bool = False, is_lost: bool = False) -> Harness:
    """Return a server that was started again in a game of the house and ann, home to move.

    The session of home, a guest's perhaps, may have been lost.
    """
    harness = Harness(CONFIG)
    terms = Terms(KALAH, TimeControl(move_ms=1000), rated=True, games=GAMES)
    match = Match("m", ("home", "ann"), terms, UTC, games=["g1"])
    sessions = [
        KeptSession(secret_hash("home's"), "home", None, is_guest),
        KeptSession(secret_hash("ann's"), "ann", None),
    ]
    kept = KeptMatch(match, running=True, began_at=UTC, moves=())
    harness.sessions.restore(sessions[1:] if is_lost else sessions, [kept])
    return harness


def playing(harness: Harness) -> tuple[FakeSeat, FakeSeat]:
    home, ann = harness.greet("home", is_own=True), harness.greet("ann")
    harness.say(ann, wire.Challenge("home", games=GAMES, seat=1))
    harness.say(home, wire.Accept(home.last(wire.Challenged).challenge))
    assert home.last(wire.GameStart).seat == 0
    return home, ann


def test_one_that_comes_back_while_the_store_is_away_is_welcomed_once(harness: Harness) -> None:
    """The welcome of its first connection came on its second, which broke the protocol."""
    harness.journal.is_slow = True
    first = harness.greet("home", is_own=True)
    second = harness.greet("home", is_own=True)
    harness.journal.settle()
    assert (len(first.of(wire.Welcome)), len(second.of(wire.Welcome))) == (0, 1)


def test_its_name_takes_a_seat_back_after_a_restart_however_late() -> None:
    """It has no secret any more; its clock begins when it is back, and the game goes on."""
    harness = restored()
    ann = harness.greet("ann", resume="ann's")
    harness.clock.pass_by(AWAY_S)
    assert not ann.of(wire.GameOver)
    home = harness.greet("home", is_own=True)
    assert home.last(wire.Welcome).resumed
    assert home.last(wire.Turn).deadline_ms == 1000
    answer(harness, home)
    assert not ann.of(wire.GameOver)


def test_a_program_whose_session_was_lost_gets_its_seat_as_well() -> None:
    """As after a start of an older server, which revoked it."""
    harness = restored(is_lost=True)
    harness.greet("ann", resume="ann's")
    harness.clock.pass_by(AWAY_S)
    assert harness.greet("home", is_own=True).last(wire.Turn).ply == 0


def test_one_that_crashes_loses_no_time(harness: Harness) -> None:
    """The question is put again when it is back; the other may move meanwhile."""
    home, ann = playing(harness)
    harness.drop(home)
    harness.clock.pass_by(AWAY_S)
    home = harness.greet("home", is_own=True)
    harness.say(home, wire.Move(home.last(wire.Turn).game, 0, 0))
    harness.drop(home)
    answer(harness, ann)
    harness.clock.pass_by(AWAY_S)
    assert not ann.of(wire.GameOver)
    assert harness.greet("home", is_own=True).last(wire.Turn).ply == ann.last(wire.Turn).ply + 1


def test_one_that_never_comes_back_makes_its_game_void(harness: Harness) -> None:
    """It does not hold its opponent for ever; neither is charged."""
    home, ann = playing(harness)
    harness.drop(home)
    harness.clock.pass_by(EXCUSED_S + 1)
    assert ann.last(wire.GameOver).reason is wire.Reason.ABORTED
    assert ann.of(wire.MatchOver)
    assert not harness.journal.kept(Counted)


def test_the_servers_delay_costs_it_no_game(harness: Harness) -> None:
    """Over its socket the kernel notes no arrival: a game in doubt is void, and not counted."""
    harness.reload(limits=Limits(voids_per_day=0))
    home, ann = playing(harness)
    harness.fairness.lag.expect(harness.clock.time)
    harness.clock.time += 3.0  # nothing runs, not even the timer of the flag
    home.arrives = Arrival(-inf, harness.clock.time)
    harness.say(home, wire.Move(home.last(wire.Turn).game, 0, 0))
    assert ann.last(wire.GameOver).reason is wire.Reason.ABORTED
    assert not harness.journal.kept(Counted)


def test_it_is_no_guest_and_needs_no_token(harness: Harness) -> None:
    """Its session is stored as that of a holder of the name."""
    harness.tokens.reserved.add("home")
    assert harness.greet("home", is_own=True).of(wire.Welcome)
    (opened,) = harness.journal.kept(SessionOpened)
    assert opened.is_own


def test_other_names_do_not_come_in_by_the_private_socket(harness: Harness) -> None:
    """A name that the settings don't give to the house is refused there."""
    assert harness.greet("ann", is_own=True).code is wire.ErrorCode.BAD_NAME


def test_its_name_opens_nothing_from_outside() -> None:
    """From elsewhere a seat of the house is taken, as any other."""
    harness = restored()
    assert harness.greet("home").code is wire.ErrorCode.BAD_NAME
    assert harness.greet("home", resume="ann's").code is wire.ErrorCode.BAD_RESUME


def test_a_guest_of_that_name_is_not_the_house() -> None:
    """It had the name before the settings gave it to the house: its absence is its own."""
    harness = restored(is_guest=True)
    ann = harness.greet("ann", resume="ann's")
    harness.clock.pass_by(CONFIG.grace_s + 1)
    assert ann.last(wire.GameOver).reason is wire.Reason.DISCONNECTED
