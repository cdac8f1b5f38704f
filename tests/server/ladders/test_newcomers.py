"""New entrants a day: how many a key may bring."""

from __future__ import annotations

from server.ladders.newcomers import DAY_S, Newcomers


def test_a_key_brings_a_limited_number_a_day() -> None:
    """The third of two is refused, those already counted are not, another key is free."""
    newcomers = Newcomers()
    found = [newcomers.admit("ann", version, 0.0, most=2) for version in ("1", "2", "3", "1")]
    assert found == [True, True, False, True]
    assert newcomers.admit("bob", "1", 0.0, most=2)


def test_a_day_later_there_is_room_again() -> None:
    """What was brought 24 hours ago no longer counts."""
    newcomers = Newcomers()
    assert newcomers.admit("ann", "1", 0.0, most=1)
    assert not newcomers.admit("ann", "2", DAY_S - 1.0, most=1)
    assert newcomers.admit("ann", "2", DAY_S, most=1)
