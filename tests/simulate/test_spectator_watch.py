"""How a test of spectators finds those that are shown too much, or not enough."""

import pytest
from msgspec.structs import replace

from mancala.protocol.messages import GameOver, GameStart, Moved
from tests.protocol.samples import SAMPLES
from tests.simulate.promises import BrokenPromiseError, Promise
from tests.simulate.spectator_watch import SHOWN_S, SpectatorWatch
from tests.simulate.test_ladder_watch import ConnectedBots

START, MOVED, OVER = (
    replace(SAMPLES[kind], game="g", **others)
    for kind, others in ((GameStart, {"seat": None}), (Moved, {}), (GameOver, {}))
)


@pytest.fixture
def town() -> ConnectedBots:
    return ConnectedBots()


@pytest.fixture
def watch(town: ConnectedBots) -> SpectatorWatch:
    """A game that ann watches, and can't pay for."""
    watch = SpectatorWatch(town.watch.trace, town)
    watch.told("ann", START)
    watch.told("ann", MOVED)
    watch.overdrew("ann", "g")
    return watch


def test_one_that_has_overdrawn_is_shown_no_move(watch: SpectatorWatch) -> None:
    """Not before the game as it stands."""
    with pytest.raises(BrokenPromiseError, match=Promise.SHOWN_LESS):
        watch.told("ann", MOVED)
    watch.told("ann", START)
    watch.told("ann", MOVED)


def test_one_that_can_pay_again_is_shown_its_game(
    watch: SpectatorWatch, town: ConnectedBots
) -> None:
    """Within a moment, while the game goes on."""
    watch.can_pay = lambda _name: False
    town.now += 2 * SHOWN_S
    watch.watch({"g"}, ())
    watch.can_pay = lambda _name: True
    town.now += SHOWN_S / 2
    watch.watch({"g"}, ())
    town.now += SHOWN_S
    with pytest.raises(BrokenPromiseError, match=Promise.CAUGHT_UP):
        watch.watch({"g"}, ())


def test_one_that_was_shown_a_game_hears_its_end(watch: SpectatorWatch) -> None:
    """Also if it is behind."""
    with pytest.raises(BrokenPromiseError, match=Promise.HEARS_END):
        watch.watch((), {"g"})
    watch.told("ann", OVER)
    watch.watch((), {"g"})


def test_one_that_stopped_watching_or_is_gone_is_shown_nothing(watch: SpectatorWatch) -> None:
    """Nor is anything of a former server."""
    watch.forget("ann")
    watch.watch((), {"g"})
    watch.told("ben", START)
    watch.watch((), {"g"})
    watch.told("ann", START)
    watch.restarted()
    watch.watch((), {"g"})
