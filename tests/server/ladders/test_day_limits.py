"""What bots may do a few times a day in a ladder, and what is stored of it."""

from __future__ import annotations

from server.config.ladders import LadderSettings
from server.ladders.day_limits import DayLimits
from server.match.participant import Participant
from server.model.day_counts import Counted
from tests.server.fakes import Harness

SETTINGS = LadderSettings(name="main", guests_a_day=1, versions_a_day=2, departure_pause_s=60.0)


def guest(name: str, address: str = "192.0.2.1") -> Participant:
    """Return a guest from an address."""
    who = Participant(name, "hash", None)
    who.address = address
    return who


def test_the_guests_of_an_ipv6_network_count_together() -> None:
    """One user has a whole network of addresses."""
    limits = DayLimits("main", Harness().context)
    assert limits.excess_of(guest("ann", "2001:db8::1"), "ann", SETTINGS) is None
    assert limits.excess_of(guest("bob", "2001:db8::2"), "bob", SETTINGS) is not None
    assert limits.excess_of(guest("cy", "2001:db8:1::1"), "cy", SETTINGS) is None


def test_a_newcomer_that_is_refused_is_not_counted() -> None:
    """Neither under its name nor under its address; nor is anything stored of it."""
    harness = Harness()
    limits = DayLimits("main", harness.context)
    assert limits.excess_of(guest("ann"), "ann@1", SETTINGS) is None
    for _ in range(3):
        assert limits.excess_of(guest("bob"), "bob@1", SETTINGS) is not None
    assert len(harness.journal.kept(Counted)) == 2
    assert limits.excess_of(guest("bob", "192.0.2.2"), "bob@1", SETTINGS) is None


def test_a_match_that_was_left_counts_once() -> None:
    """It may be noted twice, when both its ends find that the bot is gone."""
    harness = Harness()
    limits = DayLimits("main", harness.context)
    assert [limits.left_early(guest("ann"), match) for match in ("m", "m", "n")] == [1, 1, 2]
    assert len(harness.journal.kept(Counted)) == 4
    after = DayLimits("main", harness.context)
    for entry in harness.journal.entries:
        assert isinstance(entry, Counted)
        after.recall(entry, harness.clock.now())
    assert after.departures(guest("new").keys) == 2
    assert after.departures(guest("ann", "192.0.2.2").keys) == 2
