"""Round trips of pings, and when one counts as unanswered."""

from __future__ import annotations

from mancala.server.net.connection import Pings


def test_a_pong_gives_the_round_trip_of_its_ping() -> None:
    """Once; a second pong for it answers nothing."""
    pings = Pings()
    payload = pings.new(10.0)
    assert pings.answered(payload, 10.25) == 0.25
    assert pings.answered(payload, 10.5) is None


def test_a_pong_that_no_ping_asked_for_answers_nothing() -> None:
    """It may be a heartbeat of the peer's own."""
    pings = Pings()
    pings.new(10.0)
    assert pings.answered(b"tick", 10.1) is None


def test_a_pong_answers_the_pings_before_it_as_well() -> None:
    """A peer need answer only the newest."""
    pings = Pings()
    older, newer = pings.new(10.0), pings.new(12.0)
    assert pings.answered(newer, 12.5) == 0.5
    assert pings.answered(older, 12.6) is None
    assert not pings.is_overdue


def test_the_first_ping_may_stay_unanswered() -> None:
    """A bot may compile for a while after it has connected."""
    pings = Pings()
    first = pings.new(10.0)
    assert not pings.is_overdue
    second = pings.new(20.0)
    assert pings.is_overdue
    pings.answered(first, 20.1)
    assert pings.is_overdue
    pings.answered(second, 20.2)
    assert not pings.is_overdue
