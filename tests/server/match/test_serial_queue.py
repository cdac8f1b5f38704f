"""One step after the other: what waits for the journal, and for an acceptable loop lag."""

import pytest

from mancala.server.config.settings import Limits
from mancala.server.health.fairness import HELD_UP_S
from mancala.server.health.loop_lag import LoopLag
from mancala.server.match.serial_queue import SerialQueue
from mancala.server.model.journal import SessionClosed
from tests.server.fakes import Harness

ENTRY = SessionClosed("a secret's hash")


@pytest.fixture
def harness() -> Harness:
    """A harness whose journal is slow, and whose event loop may be late by 100 ms."""
    harness = Harness()
    harness.journal.is_slow = True
    harness.reload(limits=Limits(loop_lag_ms=100.0))
    harness.fairness.lag = LoopLag(interval_s=0.05, remembered_s=1.0)
    return harness


@pytest.fixture
def queue(harness: Harness) -> SerialQueue:
    return SerialQueue(harness.context)


def be_late(harness: Harness, late_s: float) -> None:
    for _ in range(20):
        harness.fairness.lag.note(late_s)


def test_what_happens_while_entries_are_written_is_done_after_them_in_order(
    harness: Harness, queue: SerialQueue
) -> None:
    """First what the entries were written for, then the rest as it came."""
    done: list[str] = []
    queue.commit([ENTRY], lambda: done.append("announced"), lambda: done.append("refused"))
    queue.put(lambda: done.append("first"))
    queue.put(lambda: done.append("second"))
    assert not done
    harness.journal.settle()
    assert harness.journal.entries == [ENTRY]
    assert done == ["announced", "first", "second"]


def test_a_step_that_waited_holds_up_those_behind_it_in_its_turn(
    harness: Harness, queue: SerialQueue
) -> None:
    """What it writes must be durable before the next one is looked at."""
    done: list[str] = []
    queue.commit([ENTRY], lambda: None, lambda: None)
    queue.put(
        lambda: queue.commit(
            [ENTRY], lambda: done.append("announced"), lambda: done.append("refused")
        )
    )
    queue.put(lambda: done.append("next"))
    harness.journal.settle()
    assert not done
    harness.journal.settle()
    assert done == ["announced", "next"]


def test_a_game_that_can_not_be_kept_fair_yet_holds_up_what_happens(
    harness: Harness, queue: SerialQueue
) -> None:
    """It begins by itself, and before anything that happened meanwhile."""
    done: list[str] = []
    be_late(harness, 0.2)
    queue.when_fair(lambda: done.append("begun"))
    queue.put(lambda: done.append("happened"))
    harness.clock.pass_by(10.0)
    assert not done
    be_late(harness, 0.001)
    harness.clock.pass_by(1.0)
    assert done == ["begun", "happened"]


def test_a_late_front_holds_up_a_game_for_a_time_and_a_late_server_until_it_is_so_no_more(
    harness: Harness,
) -> None:
    """Its bots keep no others waiting, nor an order that the match be aborted."""
    done: list[str] = []
    queue = SerialQueue(harness.context, lambda: True)
    queue.when_fair(lambda: done.append("begun"))
    queue.put(lambda: done.append("aborted"))
    harness.clock.pass_by(HELD_UP_S - 1.0)
    assert not done
    be_late(harness, 0.2)
    harness.clock.pass_by(2.0)
    assert not done
    be_late(harness, 0.001)
    harness.clock.pass_by(1.0)
    assert done == ["begun", "aborted"]


def test_a_game_may_have_to_wait_in_any_case(harness: Harness, queue: SerialQueue) -> None:
    """What happens meanwhile waits with it."""
    done: list[str] = []
    queue.when_fair(lambda: done.append("begun"), 2.0)
    queue.put(lambda: done.append("happened"))
    harness.clock.pass_by(1.9)
    assert not done
    harness.clock.pass_by(0.2)
    assert done == ["begun", "happened"]


def test_a_closed_table_does_nothing_more(harness: Harness, queue: SerialQueue) -> None:
    """Neither announces what the journal has still written, nor takes up what waits, nor begins."""
    done: list[str] = []
    be_late(harness, 0.2)
    queue.when_fair(lambda: done.append("begun"))
    queue.commit([ENTRY], lambda: done.append("announced"), lambda: done.append("refused"))
    queue.put(lambda: done.append("happened"))
    queue.close()
    be_late(harness, 0.001)
    harness.journal.settle()
    harness.clock.pass_by(1.0)
    queue.put(lambda: done.append("happened later"))
    assert not done
