"""The pace that networks share, with a clock moved by hand."""

import asyncio

import pytest

from mancala.server.web.http.fair_pace import FairPace
from tests.server.web.http.test_budgets import Timeline

PER_S = 100.0
FLOOD = 300


def pace_of(timeline: Timeline) -> FairPace:
    return FairPace(per_s=PER_S, ahead_s=0.0, now=lambda: timeline.now, sleep=timeline.sleep)


async def test_a_visitor_does_not_wait_behind_floods() -> None:
    """Three addresses at their full rate once made everyone wait, longer and longer."""
    timeline = Timeline()
    pace, turns = pace_of(timeline), dict[str, list[float]]()

    async def ask(network: str) -> None:
        await pace.take_turn(network, 1.0)
        turns.setdefault(network, []).append(timeline.now)

    flood = [asyncio.create_task(ask(f"flooder-{n % 3}")) for n in range(FLOOD)]
    await flood[FLOOD // 3]
    begun = timeline.now
    await ask("visitor")
    assert turns["visitor"][0] - begun < 5 / PER_S
    await asyncio.gather(*flood)
    assert timeline.now == pytest.approx(FLOOD / PER_S, abs=5 / PER_S)
    assert {len(times) for times in turns.values()} == {1, FLOOD // 3}


async def test_work_of_a_client_that_is_gone_takes_no_turn() -> None:
    """The next one is taken up in its place."""
    timeline = Timeline()
    pace = pace_of(timeline)
    await pace.take_turn("ann", PER_S)
    gone = asyncio.create_task(pace.take_turn("bob", 1000 * PER_S))
    await asyncio.sleep(0)
    gone.cancel()
    await pace.take_turn("cid", 1.0)
    assert timeline.now == pytest.approx(1.0)


async def test_an_idle_pace_lets_work_be_done_immediately() -> None:
    """No task and no wait, also after a time in which there were some."""
    timeline = Timeline()
    pace = pace_of(timeline)
    await asyncio.gather(*(pace.take_turn("ann", 1.0) for _ in range(3)))
    timeline.now += 1.0
    slept = len(timeline.slept)
    await pace.take_turn("bob", 1.0)
    assert len(timeline.slept) == slept


async def test_who_asked_for_much_waits_no_longer_for_it_after_a_time_without_work() -> None:
    """Turns begin anew, in the order of asking."""
    timeline, turns = Timeline(), list[str]()
    pace = pace_of(timeline)
    await asyncio.gather(*(pace.take_turn("ann", 10.0) for _ in range(3)))

    async def ask(network: str) -> None:
        await pace.take_turn(network, 1.0)
        turns.append(network)

    await asyncio.gather(*map(ask, ("bob", "ann", "cid")))
    assert turns == ["bob", "ann", "cid"]
