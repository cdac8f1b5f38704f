"""When a table's alarm rings: by the deadline, rather early than late, and not unread."""

from __future__ import annotations

import pytest

from server.config.settings import Limits
from server.health.fairness import READ_FIRST_S
from server.match.deadline_timer import Alarm
from tests.server.fakes import House, floor

LATE_S = 0.2


@pytest.fixture
def house() -> House:
    """A house that counts 50 ms as a delay of its own."""
    house = House()
    house.fairness.limits = Limits(own_delay_ms=50.0)
    return house


@pytest.fixture
def rung() -> list[str]:
    """The rings so far."""
    return []


@pytest.fixture
def alarm(house: House, rung: list[str]) -> Alarm:
    """An alarm in that house."""
    return Alarm(floor(house), lambda: rung.append("ring"))


def test_it_rings_once_at_the_deadline(house: House, alarm: Alarm, rung: list[str]) -> None:
    """Not before, and not again."""
    alarm.set(house.clock.now() + 1.0)
    house.clock.pass_by(0.999)
    assert not rung
    house.clock.pass_by(10.0)
    assert rung == ["ring"]


def test_a_deadline_that_moves_on_leaves_it_as_it_is(
    house: House, alarm: Alarm, rung: list[str]
) -> None:
    """It rings for the first one; whoever hears it sets it for the next."""
    for deadline in (1.0, 2.0):
        alarm.set(house.clock.now() + deadline)
    house.clock.pass_by(10.0)
    assert rung == ["ring"]
    alarm.set(house.clock.now() + 1.0)
    house.clock.pass_by(1.0)
    assert rung == ["ring", "ring"]


def test_an_earlier_deadline_takes_the_place_of_a_later_one(
    house: House, alarm: Alarm, rung: list[str]
) -> None:
    """It rings for the earlier, and for the later no more."""
    for deadline in (2.0, 1.0):
        alarm.set(house.clock.now() + deadline)
    house.clock.pass_by(1.0)
    assert rung == ["ring"]
    house.clock.pass_by(10.0)
    assert rung == ["ring"]


def test_a_cancelled_one_does_not_ring(house: House, alarm: Alarm, rung: list[str]) -> None:
    """Until it is set again."""
    alarm.set(house.clock.now() + 1.0)
    alarm.cancel()
    house.clock.pass_by(10.0)
    assert not rung
    alarm.set(house.clock.now() + 1.0)
    house.clock.pass_by(1.0)
    assert rung == ["ring"]


def test_after_a_delay_of_the_servers_own_the_sockets_are_read_first(
    house: House, alarm: Alarm, rung: list[str]
) -> None:
    """It falls due late, and rings when what lies in the sockets has been read."""
    alarm.set(house.clock.now() + 1.0)
    house.clock.time += 1.0 + LATE_S  # nobody is woken
    house.clock.pass_by(READ_FIRST_S / 2)
    assert not rung
    house.clock.pass_by(READ_FIRST_S)
    assert rung == ["ring"]
