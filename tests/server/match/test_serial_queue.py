"""One step after the other: what waits for the journal, and for the server's breath."""

from __future__ import annotations

import pytest

from server.config.settings import Limits
from server.health.loop_lag import LoopLag
from server.match.serial_queue import Steps
from server.model.journal import SessionClosed
from tests.server.fakes import House, floor

ENTRY = SessionClosed("a secret's hash")


@pytest.fixture
def house() -> House:
    """A house whose journal is slow, and whose event loop may be late by 100 ms."""
    house = House()
    house.journal.is_slow = True
    house.fairness.limits = Limits(loop_lag_ms=100.0)
    house.fairness.lag = LoopLag(interval_s=0.05, remembered_s=1.0)
    return house


@pytest.fixture
def steps(house: House) -> Steps:
    """The steps of a table in that house."""
    return Steps(floor(house))


def be_late(house: House, late_s: float) -> None:
    """Let the event loop have been late for as long as is remembered."""
    for _ in range(20):
        house.fairness.lag.note(late_s)


def test_what_happens_while_entries_are_written_is_done_after_them_in_order(
    house: House, steps: Steps
) -> None:
    """First what the entries were written for, then the rest as it came."""
    done: list[str] = []
    steps.commit([ENTRY], lambda: done.append("announced"))
    steps.take(lambda: done.append("first"))
    steps.take(lambda: done.append("second"))
    assert not done
    house.journal.settle()
    assert house.journal.entries == [ENTRY]
    assert done == ["announced", "first", "second"]


def test_a_step_that_waited_holds_up_those_behind_it_in_its_turn(
    house: House, steps: Steps
) -> None:
    """What it writes must be durable before the next one is looked at."""
    done: list[str] = []
    steps.commit([ENTRY], lambda: None)
    steps.take(lambda: steps.commit([ENTRY], lambda: done.append("announced")))
    steps.take(lambda: done.append("next"))
    house.journal.settle()
    assert not done
    house.journal.settle()
    assert done == ["announced", "next"]


def test_a_game_that_can_not_be_kept_fair_yet_holds_up_what_happens(
    house: House, steps: Steps
) -> None:
    """It begins by itself, and before anything that happened meanwhile."""
    done: list[str] = []
    be_late(house, 0.2)
    steps.when_fair(lambda: done.append("begun"))
    steps.take(lambda: done.append("happened"))
    house.clock.pass_by(10.0)
    assert not done
    be_late(house, 0.001)
    house.clock.pass_by(1.0)
    assert done == ["begun", "happened"]


def test_a_closed_table_does_nothing_more(house: House, steps: Steps) -> None:
    """Neither announces what the journal has still written, nor takes up what waits, nor begins."""
    done: list[str] = []
    be_late(house, 0.2)
    steps.when_fair(lambda: done.append("begun"))
    steps.commit([ENTRY], lambda: done.append("announced"))
    steps.take(lambda: done.append("happened"))
    steps.close()
    be_late(house, 0.001)
    house.journal.settle()
    house.clock.pass_by(1.0)
    steps.take(lambda: done.append("happened later"))
    assert not done
