"""How many turns a second are put to one bot."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from protocol.messages import Moved, Turn
from server.config.settings import Config, Limits
from server.match.move_pace import BOTS, BURST_S, MovePace
from server.match.participant import Participant
from tests.server.fakes import FakeSeat, Harness, answer, paired

PER_S = 10.0
LIMITS = replace(Limits(), moves_per_s=PER_S)
BURST = round(BURST_S * PER_S)


def guest(name: str, address: str) -> Participant:
    """Return a guest from an address."""
    who = Participant(name, "hash", None)
    who.address = address
    return who


def test_turns_beyond_the_pace_wait() -> None:
    """After a burst each waits longer than the one before; another bot does not notice it."""
    pace, ann = MovePace(LIMITS), guest("ann", "127.0.0.1")
    assert [pace.wait_s(ann, 0.0) for _ in range(BURST)] == [0.0] * BURST
    assert [pace.wait_s(ann, 0.0) for _ in range(2)] == [1 / PER_S, 2 / PER_S]
    assert pace.wait_s(guest("bob", "127.0.0.1"), 0.0) == 0.0
    assert pace.wait_s(ann, 60.0) == 0.0


def test_guests_of_an_address_share_a_pace() -> None:
    """That of some bots; on the server's own machine, and with a token, each has its own."""
    pace = MovePace(LIMITS)
    for number in range(BOTS):
        for _ in range(BURST):
            pace.wait_s(guest(f"guest-{number}", "192.0.2.1"), 0.0)
    assert pace.wait_s(guest("new", "192.0.2.1"), 0.0) > 0.0
    assert pace.wait_s(guest("far", "192.0.2.2"), 0.0) == 0.0
    assert pace.wait_s(Participant("ann", "hash", None, is_guest=False), 0.0) == 0.0


def test_no_clock_runs_while_a_turn_waits() -> None:
    """The bot is asked later, with all of its time."""
    harness = Harness(Config(limits=replace(Limits(), moves_per_s=1.0)))
    seats = paired(harness)
    answered = -1
    while (ply := last_turn(seats).ply) > answered:
        answered = ply
        answer(harness, next(seat for seat in seats if last_turn([seat]).ply == ply))
    assert len(seats[0].of(Moved)) == answered + 1
    harness.clock.pass_by(1.0)
    turn = last_turn(seats)
    assert turn.ply == answered + 1
    answer(harness, next(seat for seat in seats if last_turn([seat]) is turn))
    assert seats[0].of(Moved)[-1].elapsed_ms == 0.0


def last_turn(seats: Sequence[FakeSeat]) -> Turn:
    """Return the latest question to these players."""
    return max((turn for seat in seats for turn in seat.of(Turn)), key=lambda turn: turn.ply)
