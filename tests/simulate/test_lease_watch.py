"""How a test of the places of house bots finds those that are not lent in turns."""

import random
from dataclasses import replace

import pytest

from mancala.protocol.clock import ClockState, TimeControl
from mancala.protocol.messages import Challenged, GameStart, Opponent
from mancala.protocol.rules import KALAH, Board
from mancala.server.config.settings import Play
from mancala.server.lobby.house import LONGEST_LEASES
from tests.simulate.lease_watch import SETTLED_S, LeaseWatch
from tests.simulate.promises import BrokenPromiseError, Promise
from tests.simulate.trace import Trace

CLOCK = TimeControl(move_ms=5000)
PLAY = Play(challenges=1, lease_s=10.0, longest_turn_s=30.0, games=4)
LONGEST_S = LONGEST_LEASES * PLAY.lease_s


class LeaseSetup:
    """A house bot and its challengers, all of them present, at a time that the test sets."""

    names = frozenset({"house", "hog", "ann"})
    calm_since = 0.0
    last_stall = (0.0, 0.0)

    def __init__(self) -> None:
        self.now = 100.0
        trace = Trace(random.Random(1), lambda: self.now)
        self.watch = LeaseWatch(trace, self, frozenset({"house"}), PLAY)

    def present_since(self, _name: str) -> float | None:
        return 1.0

    def away_since(self, _name: str) -> float:
        return self.now

    def knows(self, _name: str, _game: str) -> bool:
        return True

    def utc(self) -> str:
        return "2026-01-01T00:00:00Z"

    def ask(self, by: str, *tellings: str, clock: TimeControl = CLOCK) -> None:
        for name in tellings:
            told = Challenged(f"by {by}", by, "house", KALAH, clock, rated=True, games=1)
            self.watch.told(name, told)

    def begin(self, by: str, game: str = "g1") -> None:
        state, clocks = Board.start(KALAH).state, ClockState(None, (0, 0))
        names, other = (by, "house"), Opponent(by)
        self.watch.shown(
            GameStart(game, f"m {by}", 1, KALAH, CLOCK, other, state, (), clocks, names)
        )

    def wait(self, seconds: float, *running: str) -> None:
        for _ in range(100):
            self.now += seconds / 100
            self.watch.watch(running)


def test_a_place_is_not_held_without_end_while_another_waits() -> None:
    """Without one that waits, it may be."""
    setup = LeaseSetup()
    setup.ask("hog", "hog", "house")
    setup.begin("hog")
    setup.wait(2 * LONGEST_S, "g1")
    setup.ask("ann", "ann")
    with pytest.raises(BrokenPromiseError, match=Promise.LENT):
        setup.wait(2 * SETTLED_S, "g1")


def test_a_match_yields_before_its_next_game() -> None:
    """Once it was lent for the length of a lease, and another waits."""
    setup = LeaseSetup()
    setup.ask("hog", "hog", "house")
    setup.begin("hog")
    setup.ask("ann", "ann")
    setup.wait(PLAY.lease_s / 2, "g1")
    setup.begin("hog", "g2")
    setup.wait(PLAY.lease_s, "g2")
    with pytest.raises(BrokenPromiseError, match="goes on"):
        setup.begin("hog", "g3")


def test_a_free_place_is_lent() -> None:
    """To a challenge that waits; one that was declined does not."""
    setup = LeaseSetup()
    setup.ask("ann", "ann")
    setup.watch.declined("by ann")
    setup.wait(4 * SETTLED_S)
    setup.ask("ann", "ann")
    with pytest.raises(BrokenPromiseError, match="has 0 matches"):
        setup.wait(4 * SETTLED_S)


def test_a_house_bot_is_not_offered_more_than_it_gives() -> None:
    """A clock that is too slow is to be refused."""
    setup = LeaseSetup()
    with pytest.raises(BrokenPromiseError, match="beyond"):
        setup.ask("hog", "hog", clock=replace(CLOCK, move_ms=31_000))
