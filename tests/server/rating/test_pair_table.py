"""The outcomes by pair of players, in columns."""

from __future__ import annotations

import pytest

from mancala.server.model.game import Tally
from mancala.server.rating.pair_table import PairTable


def test_outcomes_are_added_by_seat() -> None:
    """Each order of seats has its own outcomes, and both make one row."""
    table = PairTable({("a", "b"): Tally(1, 2, 3)})
    table.add(("b", "a"), Tally(wins=1))
    table.add(("a", "b"), Tally(draws=1))
    assert table.tally(("a", "b")) == (1, 3, 3)
    assert table.tally(("b", "a")) == (1, 0, 0)
    assert table.meetings("b", "a") == 8
    assert table.columns().outcomes.tolist() == [[[1], [3], [3]], [[1], [0], [0]]]


def test_strangers_have_no_games() -> None:
    """Names that never met, or are unknown, have an empty tally."""
    table = PairTable({("a", "b"): Tally(wins=1)})
    table.name(["c"])
    assert table.tally(("a", "c")) == table.tally(("x", "y")) == Tally()
    assert table.columns().names == ("a", "b", "c")


def test_columns_are_a_copy() -> None:
    """Games that are added later do not change columns taken before."""
    table = PairTable({("a", "b"): Tally(wins=1)})
    columns = table.columns()
    table.add(("a", "b"), Tally(wins=1))
    table.add(("a", "c"), Tally(wins=1))
    assert columns.outcomes.sum() == 1
    assert columns.low.size == 1


def test_a_game_against_oneself_is_refused() -> None:
    """A player does not meet itself."""
    with pytest.raises(ValueError, match="itself"):
        PairTable({("a", "a"): Tally(wins=1)})
