"""The next edition of a series follows from the one before."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mancala.server.config.events import EventSettings
from mancala.server.contest.events.series import Edition, SeriesError, next_edition

STARTS = "2026-12-04T19:00:00+01:00"
THEN = datetime(2026, 12, 4, 22, tzinfo=UTC)


def edition(*ranked: str, **changes: Any) -> Edition:  # noqa: ANN401  # any setting
    usual: dict[str, Any] = {"name": "first", "format": "swiss", "entrants": ("ann", "bob")}
    usual |= {"series": "friday", "every_days": 7.0, "starts": STARTS}
    return Edition(EventSettings(**(usual | changes)), ranked)


def test_the_next_friday_has_the_same_settings_a_week_later() -> None:
    """Its name has the edition; the entrants stay as listed, and the hour as it was written."""
    last = edition("bob", "ann", check_in="2026-12-04T18:50:00+01:00", rounds=1)
    [found] = next_edition([last], THEN)
    assert (found.name, found.edition, found.entrants) == ("friday-2", 2, ("ann", "bob"))
    assert found.starts == "2026-12-11T19:00:00+01:00"
    assert found.check_in == "2026-12-11T18:50:00+01:00"
    assert (found.rounds, found.problem()) == (1, None)


def test_fridays_that_have_passed_are_left_out() -> None:
    """A server that was off for weeks makes the one to come."""
    [found] = next_edition([edition()], THEN + timedelta(days=15))
    assert (found.name, found.starts) == ("friday-2", "2026-12-25T19:00:00+01:00")


def test_a_long_past_is_stepped_over_in_one_step() -> None:
    """Whatever the days are, the server does not count them one by one."""
    [found] = next_edition([edition(every_days=0.05)], THEN + timedelta(days=36500))
    assert found.starts == "2126-11-10T23:48:00+01:00"


def test_an_event_without_days_is_the_last() -> None:
    """The series has its standings, and no further event."""
    assert next_edition([edition(every_days=None)], THEN) == []


@pytest.mark.parametrize(("names", "divisions"), [(("friday-2",), (1,)), ((), (2, 2))])
def test_an_edition_takes_no_name_twice(names: tuple[str, ...], divisions: tuple[int, ...]) -> None:
    """Neither that of another event, nor one of its own."""
    with pytest.raises(SeriesError, match=r"friday-2.*: there is such an event"):
        next_edition([edition(division=each) for each in divisions], THEN, names)


def test_the_last_and_the_first_of_two_divisions_change_places() -> None:
    """As many as are promoted, at most half of a division; who withdrew is in none.

    Where one of the two was cancelled before its first round, all stay.
    """
    upper, lower = ("a1", "a2", "a3", "a4"), ("b1", "b2", "b3", "b4")
    third = ("c1", "c2")
    divisions = [
        edition(*names, division=number, promoted=1, name=f"d{number}")
        for number, names in ((2, lower), (1, upper), (3, third))
    ]
    first, second, last = next_edition(divisions, THEN)
    assert [each.name for each in (first, second, last)] == [
        "friday-2-1",
        "friday-2-2",
        "friday-2-3",
    ]
    assert first.entrants == ("a1", "a2", "a3", "b1")
    assert second.entrants == ("a4", "b2", "b3", "c1")
    assert last.entrants == ("b4", "c2")
    few = [edition("a1", "a2", division=1, promoted=5), edition("b1", "b2", division=2)]
    assert [each.entrants for each in next_edition(few, THEN)] == [("a1", "b1"), ("a2", "b2")]
    below = [edition("a1", "a2", "a3", "a4", division=1, promoted=2), few[1]]
    assert [each.entrants for each in next_edition(below, THEN)] == [
        ("a1", "a2", "a3", "b1"),
        ("a4", "b2"),
    ]
    rained_off = [few[0], few[1]._replace(has_table=False)]
    assert [each.entrants for each in next_edition(rained_off, THEN)] == [
        ("a1", "a2"),
        ("b1", "b2"),
    ]


def test_a_bot_that_only_filled_an_odd_division_is_not_promoted() -> None:
    """It stays what it was, unless the organiser had listed it."""
    upper = edition("a1", "a2", "a3", division=1, promoted=1, fill="house")
    lower = edition("house", "b1", "b2", "b3", division=2, fill="house")
    assert [each.entrants for each in next_edition([upper, lower], THEN)] == [
        ("a1", "a2", "b1"),
        ("a3", "b2", "b3"),
    ]
    listed = edition("house", "ann", promoted=1, fill="house", entrants=("ann", "house"))
    assert next_edition([listed], THEN)[0].entrants == ("house", "ann")
