"""Columns of counts read as the mapping that they stand for."""

import pytest

from mancala.server.model.game import Seats, Tally
from mancala.server.model.pair_counts import PairCounts
from mancala.server.model.seat_columns import pair_columns, tally_columns

TALLIES: dict[Seats, Tally] = {
    ("ann", "bob"): Tally(3, 1, 0),
    ("bob", "ann"): Tally(0, 0, 2),
    ("cy", "ann"): Tally(1),
}
PAIRS: dict[Seats, PairCounts] = {("ann", "bob"): PairCounts((0, 1, 0, 2, 0))}


def test_columns_equal_the_mapping_that_they_were_made_of() -> None:
    """The same seats in the same order, each with its value."""
    assert tally_columns(TALLIES) == TALLIES
    assert list(tally_columns(TALLIES)) == list(TALLIES)
    assert pair_columns(PAIRS) == PAIRS


def test_columns_of_nothing_have_no_seats() -> None:
    """But every column, so that they can be added up."""
    assert len(tally_columns({})) == 0
    assert tally_columns({}).sum == 0
    assert len(pair_columns({}).counts) == 5


def test_each_player_is_named_once() -> None:
    """Whatever the number of its opponents; the sum counts all games."""
    columns = tally_columns(TALLIES)
    assert sorted(columns.names) == ["ann", "bob", "cy"]
    assert columns.sum == 7
    assert tally_columns(columns) is columns


def test_seats_that_never_met_are_not_found() -> None:
    """As in any mapping."""
    with pytest.raises(KeyError):
        tally_columns(TALLIES)["bob", "cy"]
