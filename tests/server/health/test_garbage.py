"""The long look for garbage comes when no game is under way, or when it is overdue."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator

import pytest

from mancala.server.health import garbage as collecting
from mancala.server.health.garbage import GC_EVERY_S, gc_between_games


class Circle:
    """What refers to itself."""

    def __init__(self) -> None:
        self.me = self


class Later:
    """A clock that is wound by hand."""

    def __init__(self) -> None:
        self.due: list[Callable[[], None]] = []

    def call(self, delay_s: float, action: Callable[[], None]) -> Later:
        assert delay_s == GC_EVERY_S
        self.due.append(action)
        return self

    def cancel(self) -> None:
        self.due.clear()

    def ring(self) -> None:
        self.due.pop()()


@pytest.fixture
def later() -> Iterator[Later]:
    """A clock wound by hand, and a collector that comes by itself for nothing old."""
    thresholds = gc.get_threshold()
    yield Later()
    assert gc.get_threshold() == thresholds


def garbage() -> weakref.ref[Circle]:
    """Leave a circle behind that has been looked at as often as old objects have."""
    circle = Circle()
    gc.collect()
    return weakref.ref(circle)


@pytest.mark.parametrize("is_calm", [True, False])
def test_old_garbage_goes_while_no_game_is_under_way(later: Later, *, is_calm: bool) -> None:
    """And stays so as long as a game would wait for it."""
    with gc_between_games(lambda: is_calm, later.call):
        left = garbage()
        later.ring()
        assert (left() is None) == is_calm


def test_what_outlived_a_look_is_looked_at_rarely(
    later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20,000 bots that wait would hold up all others every time."""
    with gc_between_games(lambda: True, later.call):
        circle = Circle()
        left = weakref.ref(circle)
        later.ring()
        del circle
        later.ring()
        assert left() is not None
        monkeypatch.setattr(collecting, "GC_WHOLE_SHARE", gc.get_freeze_count())
        later.ring()
        assert left() is None


def test_an_overdue_look_waits_for_no_calm(later: Later, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that always has games still frees what it must."""
    monkeypatch.setattr(collecting, "GC_OVERDUE", 0)
    with gc_between_games(lambda: False, later.call):
        left = garbage()
        later.ring()
        assert left() is None


def test_it_looks_again_and_again_until_the_end(later: Later) -> None:
    """Then nothing is left to ring."""
    with gc_between_games(lambda: True, later.call):
        later.ring()
        later.ring()
        assert len(later.due) == 1
    assert not later.due
