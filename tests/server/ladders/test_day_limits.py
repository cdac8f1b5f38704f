"""What bots may do a few times a day in a ladder, and what is stored of it."""

import pytest

from mancala.server.config.ladders import LadderSettings
from mancala.server.ladders.day_limits import (
    LONGEST_UNRATED_S,
    LONGEST_WAIT_S,
    PAIRED_APART_S,
    RATED_APART_S,
    DayLimits,
    Newcomer,
    pause_s,
)
from mancala.server.match.participant import Participant
from mancala.server.model.day_counts import DAY_S, Counted
from tests.server.fakes import Harness

SETTINGS = LadderSettings(
    name="main", guests_a_day=1, versions_a_day=2, departure_pause_s=60.0, address_departures=4
)
ADDRESS = "address 192.0.2.1"


def guest(name: str, address: str = "192.0.2.1") -> Participant:
    player = Participant(name, "hash", None)
    player.address = address
    return player


def limits_of(harness: Harness) -> DayLimits:
    return DayLimits(lambda: SETTINGS, harness.context)


def after_restart(harness: Harness) -> DayLimits:
    limits = limits_of(harness)
    for entry in harness.journal.entries:
        assert isinstance(entry, Counted)
        limits.restore_count(entry, harness.clock.now())
    return limits


def test_a_name_waits_for_its_own_departures_only() -> None:
    """Its pause doubles; a neighbour at the same address has none, also after a restart."""
    harness = Harness()
    limits = limits_of(harness)
    for match in ("a", "b", "c", "d"):
        limits.left_early(guest("ann"), match)
    now = harness.clock.now()
    for counted in (limits, after_restart(harness)):
        assert counted.pause(guest("ann")).until == now + 60.0
        assert counted.pause(guest("bob")).until <= now
    harness.clock.pass_by(DAY_S)
    assert limits.pause(guest("ann")).until <= harness.clock.now()


def test_a_pause_says_why_and_what_to_do() -> None:
    """In the bot's own numbers."""
    limits = limits_of(Harness())
    for match in ("a", "b", "c", "d"):
        limits.left_early(guest("ann"), match)
    assert limits.pause(guest("ann")).reason == (
        "you left 4 matches before your first move: paused for 60 s; leaving another one loses it"
    )


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, 0.0), (3, 0.0), (4, 60.0), (5, 120.0), (8, 960.0), (64, DAY_S), (10_000, DAY_S)],
)
def test_the_pause_doubles(count: int, expected: float) -> None:
    """The first few cost no pause; after that each doubles it, up to a day."""
    assert pause_s(count, SETTINGS) == expected


def test_after_many_departures_from_an_address_its_new_names_take_turns() -> None:
    """One after another, none waits longer than stated; below the number none waits."""
    harness = Harness()
    limits, now = limits_of(harness), harness.clock.now()
    for name in ("one", "two", "three"):
        limits.left_early(guest(name), name)
    assert limits.wait(Newcomer("new", ADDRESS)).until == now
    limits.left_early(guest("four"), "four")
    waits = [limits.wait(Newcomer(f"new{n}", ADDRESS)).until - now for n in range(100)]
    assert waits[:3] == [0.0, PAIRED_APART_S, 2 * PAIRED_APART_S]
    assert waits[-1] == LONGEST_WAIT_S
    assert limits.wait(Newcomer("new1", ADDRESS)).until - now == waits[1]
    assert limits.wait(Newcomer("far", "address 192.0.2.2")).until == now


def test_a_match_that_was_left_counts_once() -> None:
    """It may be noted twice, when both its ends find that the bot is gone."""
    harness = Harness()
    limits = limits_of(harness)
    assert [limits.left_early(guest("ann"), match) for match in ("m", "m", "n")] == [1, 1, 2]
    assert len(harness.journal.kept(Counted)) == 4


def test_a_name_brings_a_few_versions_a_day() -> None:
    """One that is refused is not stored; one that is known is no newcomer."""
    harness = Harness()
    limits = limits_of(harness)
    answers = [limits.excess_of(guest("ann"), f"ann@{n}") is None for n in (1, 2, 3, 1)]
    assert answers == [True, True, False, True]
    assert len(harness.journal.kept(Counted)) == 2


def test_the_new_names_of_an_address_become_rated_in_turns() -> None:
    """The first immediately, the others one a minute; none is refused, none waits for ever."""
    harness = Harness()
    limits = limits_of(harness)
    one, two, three, *others = (Newcomer(f"new{n}", ADDRESS) for n in range(100))
    assert limits.may_be_rated([one])
    assert limits.may_be_rated([one])
    assert limits.may_be_rated([two])
    assert not limits.may_be_rated([three])
    assert not any(limits.may_be_rated([each]) for each in others)
    harness.clock.pass_by(RATED_APART_S)
    assert limits.may_be_rated([three])
    assert not limits.may_be_rated(others[-1:])
    harness.clock.pass_by(LONGEST_UNRATED_S)
    assert limits.may_be_rated(others[-1:])


def test_a_match_of_two_new_names_counts_for_both_or_none() -> None:
    """A name that waits keeps its opponent new."""
    harness = Harness()
    limits = limits_of(harness)
    far = Newcomer("far", "address 192.0.2.2")
    assert limits.may_be_rated([Newcomer("a", ADDRESS)])
    assert limits.may_be_rated([Newcomer("b", ADDRESS)])
    stored = len(harness.journal.kept(Counted))
    assert not limits.may_be_rated([far, Newcomer("c", ADDRESS)])
    assert len(harness.journal.kept(Counted)) == stored


def test_the_guests_of_an_ipv6_network_count_together() -> None:
    """One user has a whole network of addresses."""
    keys = {guest("ann", address).address_key for address in ("2001:db8::1", "2001:db8::2")}
    assert len(keys) == 1
    assert guest("cy", "2001:db8:1::1").address_key not in keys
