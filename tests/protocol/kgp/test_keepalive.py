"""When a Kalah Game Protocol client is pinged, and when it is given up."""

from math import inf

from mancala.protocol.kgp.keepalive import Keepalive


def test_a_client_that_answers_is_pinged_again_later_and_its_round_trip_is_known() -> None:
    """A pong tells the time there and back, and puts the next ping off."""
    keepalive = Keepalive(ping_s=20.0, pong_s=2.0)
    assert keepalive.due == inf
    keepalive.postpone(0.0)
    assert keepalive.due == 20.0
    keepalive.sent(6, 20.0)
    assert keepalive.due == 22.0
    keepalive.on_pong(6, 20.25)
    assert keepalive.round_trips.lag_s() == 0.25
    assert keepalive.due == 40.25
    assert not keepalive.has_timed_out(1e9)


def test_an_unexpected_pong_changes_nothing() -> None:
    """Unsolicited, unnumbered and old pongs are as good as unsaid."""
    keepalive = Keepalive(ping_s=20.0, pong_s=2.0)
    keepalive.on_pong(None, 1.0)
    keepalive.on_pong(8, 1.0)
    assert not keepalive.is_pending
    keepalive.sent(10, 5.0)
    keepalive.on_pong(8, 5.5)
    keepalive.on_pong(None, 5.5)
    assert keepalive.is_pending
    assert keepalive.round_trips.lag_s() == 0.0


def test_a_client_that_is_silent_after_a_ping_is_gone_in_time() -> None:
    """Not a moment before its time is up; and any other sign of life saves it."""
    keepalive = Keepalive(ping_s=20.0, pong_s=2.0)
    keepalive.sent(6, 10.0)
    assert not keepalive.has_timed_out(11.999)
    assert keepalive.has_timed_out(12.0)
    assert keepalive.has_timed_out(12.5)
    keepalive.on_activity(12.0)
    assert not keepalive.has_timed_out(13.0)
