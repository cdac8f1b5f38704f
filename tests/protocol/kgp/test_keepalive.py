"""When a Kalah Game Protocol client is pinged, and when it is given up."""

from __future__ import annotations

from math import inf

from protocol.kgp.keepalive import Pulse


def test_a_client_that_answers_is_pinged_again_later_and_its_round_trip_is_known() -> None:
    """A pong tells the time there and back, and puts the next ping off."""
    pulse = Pulse(ping_s=20.0, pong_s=2.0)
    assert pulse.due == inf
    pulse.rest(0.0)
    assert pulse.due == 20.0
    pulse.sent(6, 20.0)
    assert pulse.due == 22.0
    pulse.heard(6, 20.25)
    assert pulse.round_trip_s == 0.25
    assert pulse.due == 40.25
    assert not pulse.is_gone(1e9)


def test_a_pong_that_nobody_waits_for_changes_nothing() -> None:
    """Unsolicited, unnumbered and old pongs are as good as unsaid."""
    pulse = Pulse(ping_s=20.0, pong_s=2.0)
    pulse.heard(None, 1.0)
    pulse.heard(8, 1.0)
    pulse.sent(10, 5.0)
    pulse.heard(8, 5.5)
    pulse.heard(None, 5.5)
    assert pulse.is_awaited
    assert pulse.round_trip_s == 0.0


def test_a_client_that_is_silent_after_a_ping_is_gone_in_time() -> None:
    """Not a moment before its time is up; and any other sign of life saves it."""
    pulse = Pulse(ping_s=20.0, pong_s=2.0)
    pulse.sent(6, 10.0)
    assert not pulse.is_gone(11.999)
    assert pulse.is_gone(12.0)
    pulse.alive(12.0)
    assert not pulse.is_gone(13.0)
