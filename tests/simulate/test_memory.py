"""What a server keeps in memory is counted."""

import random

import pytest
from msgspec import Raw

from mancala.server.control.actions import ACTIONS
from mancala.server.model.day_counts import CountKind, DailyLimit
from tests.server.fakes import FakeSeat
from tests.simulate.memory import Bound, check_seats, check_size, held, size
from tests.simulate.promises import BrokenPromiseError, Promise


def test_what_objects_of_the_server_hold_is_counted_wherever_it_is() -> None:
    """Also in functions that have enclosed it; what belongs to others is not."""
    counts = DailyLimit(CountKind.VOID)
    before = size(counts)
    counts.note([("ann", "one")], 1.0, "now")
    assert size(counts) > before
    kept = [*range(50)]
    assert size({"later": lambda: kept}) > size(kept)
    assert size(random.Random(1)) == 0


def test_all_that_python_holds_is_counted_wherever_it_is() -> None:
    """Also text that only a function has enclosed; and bytes that only msgspec's Raw holds."""
    text, shown = "x" * 10_000_000, Raw(b" " * 100_000)
    later = {"later": lambda: (text, shown)}
    taken = held()
    assert later
    assert taken["str"] > 10_000_000
    assert 100_000 < taken["Raw"] < 1_000_000


def test_a_server_that_grows_breaks_a_promise() -> None:
    """More for each bot is allowed, and a connection is kept as long as it is open."""
    check_size([*range(30)], 2, Bound(10, 10))
    with pytest.raises(BrokenPromiseError, match=Promise.BOUNDED):
        check_size([*range(31)], 2, Bound(10, 10))
    check_seats({"ann": FakeSeat()}, 1)
    with pytest.raises(BrokenPromiseError, match=Promise.BOUNDED):
        check_seats({"ann": FakeSeat()}, 0)


def test_what_there_is_but_once_does_not_count_while_it_is_used() -> None:
    """An order that is carried out reaches the table of all orders: 700 entries in one world."""
    [action, *_] = ACTIONS.values()
    assert size([ACTIONS]) == len([ACTIONS]) + len(ACTIONS)
    assert size([action]) == 1
