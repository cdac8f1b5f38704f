"""The loop's lag: a window of what the probe saw, honest about what it slept through."""

import asyncio

import pytest

from mancala.server.health.loop_lag import LoopLag, probe
from mancala.server.model.timers import Stall


def test_an_idle_loop_has_no_lag() -> None:
    """Before anything is noted, nothing is late."""
    assert LoopLag().p99() == 0.0


def test_one_late_instant_in_a_hundred_does_not_move_the_99th_percentile() -> None:
    """The quantile is the nearest rank, so 1 of 100 lies beyond it and 2 of 100 do not."""
    lag = LoopLag(interval_s=1.0, remembered_s=100.0)
    for late_s in (*[0.001] * 99, 0.5):
        lag.note(late_s)
    assert lag.p99() == 0.001
    lag.note(0.5)
    assert lag.p99() == 0.5


@pytest.mark.parametrize(
    ("interval_s", "remembered_s", "late_s", "noted"),
    [
        (0.25, 10.0, 1.0, (1.0, 0.75, 0.5, 0.25, 0.0)),
        (1.0, 4.0, 3600.0, (3600.0, 3599.0, 3598.0, 3597.0)),
        (1.0, 2.0, -0.001, (0.0,)),
    ],
    ids=["every instant slept through", "no more than the window", "early is not late"],
)
def test_what_a_late_probe_counts_for(
    interval_s: float, remembered_s: float, late_s: float, noted: tuple[float, ...]
) -> None:
    """A stall of a second is five late instants, and one of an hour costs no memory."""
    lag = LoopLag(interval_s=interval_s, remembered_s=remembered_s)
    assert lag.note(late_s) == noted
    assert lag.p99() == max(noted)


def test_what_is_old_is_forgotten() -> None:
    """A stall long ago no longer keeps games from starting."""
    lag = LoopLag(interval_s=1.0, remembered_s=3.0)
    for late_s in (9.0, 0.0, 0.0, 0.0):
        lag.note(late_s)
    assert lag.p99() == 0.0


def test_a_stall_is_known_by_the_probes_that_ran_before_and_after() -> None:
    """It began between two wake-ups; its length is counted from the instant when it was due."""
    lag = LoopLag(interval_s=0.25, remembered_s=1.0)
    assert lag.last_stall(10.0) is None
    lag.expect(10.25)
    lag.woken(10.3125)
    assert lag.last_stall(20.0) == Stall(10.0, 10.25, 10.3125)


def test_a_stall_that_just_ended_counts_before_the_probe_is_woken() -> None:
    """What waited in a socket is handled first, and asks."""
    lag = LoopLag(interval_s=0.25, remembered_s=1.0)
    lag.expect(10.25)
    assert lag.last_stall(10.24) is None
    assert lag.last_stall(10.75) == Stall(10.0, 10.25, 10.75)


async def test_the_probe_tells_how_late_it_was_woken() -> None:
    """By a clock that jumps half a second while the probe waits, it is about half a second late."""
    lag = LoopLag(interval_s=0.001, remembered_s=1.0)
    times = iter([10.0, 10.501, 11.0])
    told: list[float] = []

    def now() -> float:
        try:
            return next(times)
        except StopIteration:
            raise asyncio.CancelledError from None

    with pytest.raises(asyncio.CancelledError):
        await probe(lag, now=now, tell=told.append)
    assert told[0] == pytest.approx(0.5)
    assert lag.p99() == pytest.approx(0.5, abs=0.01)
