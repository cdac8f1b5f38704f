"""Who may be in a ladder, and who waits there for too long."""

import random

import pytest

from mancala.protocol.messages import Error, ErrorCode, MatchOver
from tests.simulate.ladder_watch import PAIRED_S, LadderWatch
from tests.simulate.promises import BrokenPromiseError, Promise
from tests.simulate.trace import Trace

EARLY, LATE = "2026-01-01T00:00:10Z", "2026-01-01T00:00:30Z"
UNTIL = "2026-01-01T00:00:20Z"
REFUSAL = Error(ErrorCode.QUARANTINED, f"ann is out of main until {UNTIL}: enough", fatal=False)


class ConnectedBots:
    """A server on which every bot is connected."""

    def __init__(self, house: frozenset[str] = frozenset()) -> None:
        self.names = frozenset({"ann", "cat", "dan"})
        self.now = 1000.0
        self.time_of_day = EARLY
        self.calm_since = 0.0
        self.last_stall = (0.0, 0.0)
        self.watch = LadderWatch(Trace(random.Random(1), lambda: self.now), self, house)

    def present_since(self, name: str) -> float | None:
        """Return a time long ago; None for ben, who is away."""
        return None if name == "ben" else 1.0

    def away_since(self, name: str) -> float:
        del name
        return 1.0

    def utc(self) -> str:
        return self.time_of_day

    def knows(self, name: str, game: str) -> bool:
        return bool(name and game)


def test_a_quarantine_lasts_as_long_as_was_said() -> None:
    """No join before its end, and no refusal after it."""
    town = ConnectedBots()
    town.watch.quarantined("ann", REFUSAL)
    with pytest.raises(BrokenPromiseError, match=Promise.BARRED):
        town.watch.joined("ann")
    town.time_of_day = LATE
    town.watch.joined("ann")
    with pytest.raises(BrokenPromiseError, match=Promise.BARRED):
        town.watch.quarantined("ann", REFUSAL)


def test_two_members_that_wait_are_given_a_match() -> None:
    """One alone waits; so does one that keeps leaving."""
    town = ConnectedBots()
    for name in ("ann", "cat", "dan"):
        town.watch.joined(name)
    town.watch.paused("dan")
    town.watch.came("cat", ["of the ladder", "of a seek"])
    town.now += 2 * PAIRED_S
    town.watch.watch()
    town.watch.told("cat", MatchOver("of a seek", {}))
    town.now += 2 * PAIRED_S
    town.watch.watch()
    town.watch.told("cat", MatchOver("of the ladder", {}))
    town.now += 2 * PAIRED_S
    with pytest.raises(BrokenPromiseError, match=Promise.PAIRED):
        town.watch.watch()


def test_two_bots_of_the_house_need_not_be_given_one_another() -> None:
    """They are there for others."""
    town = ConnectedBots(frozenset({"ann", "cat"}))
    for name in ("ann", "cat"):
        town.watch.joined(name)
    town.now += 2 * PAIRED_S
    town.watch.watch()
    town.watch.joined("dan")
    town.now += 2 * PAIRED_S
    with pytest.raises(BrokenPromiseError, match=Promise.PAIRED):
        town.watch.watch()


def test_a_match_begins_between_bots_that_are_there_to_play() -> None:
    """Neither without one of them, nor when all have left."""
    town = ConnectedBots()
    town.watch.match_began("m", ("ann", "cat"))
    with pytest.raises(BrokenPromiseError, match=Promise.MET):
        town.watch.match_began("n", ("ann", "ben"))
    town.watch.is_season_over = True
    with pytest.raises(BrokenPromiseError, match=Promise.WILLING):
        town.watch.match_began("o", ("ann", "cat"))
