"""Timers that fire some together."""

import asyncio

import pytest

from mancala.server.net.grouped_timers import TOGETHER, GroupedTimers


class TimersLoop:
    """The part of an event loop that has the time, which passes by itself."""

    def __init__(self) -> None:
        self.now = 0.0
        self.calls: list[tuple[float, object]] = []

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, call: object) -> None:
        self.calls.append((when, call))

    def call_soon(self, call: object) -> None:
        self.calls.insert(0, (self.now, call))

    def run(self) -> None:
        self.now, call = self.calls.pop(0)
        assert callable(call)
        call()


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> TimersLoop:
    found = TimersLoop()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: found)
    return found


def test_what_is_due_at_about_the_same_time_fires_at_the_first_of_their_times(
    loop: TimersLoop,
) -> None:
    """Each wake-up for a ping alone cost the server as much as the ping."""
    fired: list[tuple[str, float]] = []
    timers = GroupedTimers(20.0)
    for name, now in (("a", 0.0), ("b", 0.9), ("c", 2.0)):
        loop.now = now
        timers.set(lambda name=name: fired.append((name, loop.now)))  # type: ignore[misc]  # bound now
    while loop.calls:
        loop.run()
    assert sorted(fired) == [("a", 20.0), ("b", 20.0), ("c", 22.0)]


def test_not_more_than_some_fire_together_and_none_that_was_cancelled(loop: TimersLoop) -> None:
    """A thousand pings in one turn of the loop would delay the games."""
    fired: list[int] = []
    timers = GroupedTimers(20.0)
    kept = [timers.set(lambda n=n: fired.append(n)) for n in range(2 * TOGETHER + 1)]  # type: ignore[misc]  # bound now
    kept[0].cancel()
    loop.run()
    assert len(loop.calls) == TOGETHER + 1  # and the next group
    while loop.calls:
        loop.run()
    assert sorted(fired) == [*range(1, 2 * TOGETHER + 1)]


def test_a_timer_that_is_set_while_others_fire_is_due_later(loop: TimersLoop) -> None:
    """A ping sets the next one."""
    fired: list[float] = []
    timers = GroupedTimers(20.0)

    def again() -> None:
        fired.append(loop.now)
        if len(fired) < 3:
            timers.set(again)

    timers.set(again)
    while loop.calls:
        loop.run()
    assert fired == [20.0, 40.0, 60.0]
