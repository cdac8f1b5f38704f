"""A table's timer fires by the deadline, early rather than late, after the sockets were read."""

import pytest

from mancala.server.config.settings import Limits
from mancala.server.health.loop_lag import READ_FIRST_S
from mancala.server.match.deadline_timer import DeadlineTimer
from tests.server.fakes import Harness

LATE_S = 0.2


@pytest.fixture
def harness() -> Harness:
    harness = Harness()
    harness.reload(limits=Limits(own_delay_ms=50.0))
    return harness


@pytest.fixture
def fired() -> list[str]:
    return []


@pytest.fixture
def timer(harness: Harness, fired: list[str]) -> DeadlineTimer:
    return DeadlineTimer(harness.context, lambda: fired.append("ring"))


def test_it_rings_once_at_the_deadline(
    harness: Harness, timer: DeadlineTimer, fired: list[str]
) -> None:
    """Not before, and not again."""
    timer.set(harness.clock.now() + 1.0)
    harness.clock.pass_by(0.999)
    assert not fired
    harness.clock.pass_by(10.0)
    assert fired == ["ring"]


def test_a_deadline_that_moves_on_leaves_it_as_it_is(
    harness: Harness, timer: DeadlineTimer, fired: list[str]
) -> None:
    """It fires at the first one; the callback sets it for the next."""
    for deadline in (1.0, 2.0):
        timer.set(harness.clock.now() + deadline)
    harness.clock.pass_by(10.0)
    assert fired == ["ring"]
    timer.set(harness.clock.now() + 1.0)
    harness.clock.pass_by(1.0)
    assert fired == ["ring", "ring"]


def test_an_earlier_deadline_takes_the_place_of_a_later_one(
    harness: Harness, timer: DeadlineTimer, fired: list[str]
) -> None:
    """It rings for the earlier, and for the later no more."""
    for deadline in (2.0, 1.0):
        timer.set(harness.clock.now() + deadline)
    harness.clock.pass_by(1.0)
    assert fired == ["ring"]
    harness.clock.pass_by(10.0)
    assert fired == ["ring"]


def test_a_cancelled_one_does_not_ring(
    harness: Harness, timer: DeadlineTimer, fired: list[str]
) -> None:
    """Until it is set again."""
    timer.set(harness.clock.now() + 1.0)
    timer.cancel()
    harness.clock.pass_by(10.0)
    assert not fired
    timer.set(harness.clock.now() + 1.0)
    harness.clock.pass_by(1.0)
    assert fired == ["ring"]


def test_after_a_delay_of_the_servers_own_the_sockets_are_read_first(
    harness: Harness, timer: DeadlineTimer, fired: list[str]
) -> None:
    """It falls due late, and rings when what lies in the sockets has been read."""
    timer.set(harness.clock.now() + 1.0)
    harness.clock.time += 1.0 + LATE_S  # no callback ran
    harness.clock.pass_by(READ_FIRST_S / 2)
    assert not fired
    harness.clock.pass_by(READ_FIRST_S)
    assert fired == ["ring"]
