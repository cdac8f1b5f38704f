"""The tally of voided games: by name and by address, for one day."""

from __future__ import annotations

from server.health.voids import VoidTally

TODAY, TOMORROW = "2026-11-21", "2026-11-22"


def test_a_bot_with_a_token_counts_by_its_name() -> None:
    """Two a day; other bots have their own."""
    tally = VoidTally()
    assert [tally.count("ann", None, TODAY, most=2) for _ in range(3)] == [True, True, False]
    assert tally.count("bob", None, TODAY, most=2)


def test_guests_of_one_address_count_together() -> None:
    """A new name is free, a new address is not."""
    tally = VoidTally()
    assert tally.count("ann", "192.0.2.1", TODAY, most=2)
    assert tally.count("bob", "192.0.2.1", TODAY, most=2)
    assert not tally.count("cid", "192.0.2.1", TODAY, most=2)
    assert tally.count("cid", "192.0.2.2", TODAY, most=2)


def test_a_bot_named_like_an_address_does_not_use_up_that_address() -> None:
    """Names may have dots and digits."""
    tally = VoidTally()
    assert tally.count("192.0.2.1", None, TODAY, most=1)
    assert tally.count("ann", "192.0.2.1", TODAY, most=1)


def test_a_new_day_begins_with_none() -> None:
    """The day is that of the server's clock."""
    tally = VoidTally()
    assert tally.count("ann", None, TODAY, most=1)
    assert not tally.count("ann", None, TODAY, most=1)
    assert tally.count("ann", None, TOMORROW, most=1)


def test_what_the_store_knows_of_today_counts_after_a_restart() -> None:
    """One name for each void."""
    tally = VoidTally()
    tally.restore(["ann", "bob", "ann"], TODAY)
    assert not tally.count("ann", None, TODAY, most=2)
    assert tally.count("bob", None, TODAY, most=2)
