"""Side-swapped pairs: counted, added, found among games."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mancala.server.model.game import RatedGame
from mancala.server.model.pair_counts import PairCounts, by_name, paired

Floats = NDArray[np.float64]

counts = st.builds(lambda *cells: PairCounts(cells), *[st.integers(0, 500)] * 5)


def test_a_pair_is_kept_by_the_order_of_names() -> None:
    """The points are turned around where the names are."""
    assert by_name(("ann", "bob"), (1, 0.5)) == (("ann", "bob"), (1, 0.5))
    assert by_name(("bob", "ann"), (1, 0.5)) == (("ann", "bob"), (0, 0.5))


def test_pairs_are_counted_by_their_points() -> None:
    """Two wins, a win and a draw, a win and a loss, and so on each fall into their own cell."""
    pairs = [(1.0, 1.0), (1.0, 0.5), (0.5, 1.0), (1.0, 0.0), (0.5, 0.5), (0.0, 0.5), (0.0, 0.0)]
    assert PairCounts.of(pairs) == PairCounts((1, 1, 2, 2, 1))


def test_points_that_no_game_brings_are_refused() -> None:
    """A game brings a whole point, half a point or none."""
    with pytest.raises(ValueError, match="brings 0"):
        PairCounts.of([(1.0, 0.25)])


def test_a_negative_count_is_refused() -> None:
    """A number of pairs is not negative."""
    with pytest.raises(ValueError, match="negative"):
        PairCounts((1, 0, -1, 0, 0))


@given(counts, counts)
def test_matches_add_up(one: PairCounts, two: PairCounts) -> None:
    """Adding two matches adds their pairs and their points."""
    both = one + two
    assert both.pairs == one.pairs + two.pairs
    points = one.score * one.pairs + two.score * two.pairs
    assert both.score * both.pairs == pytest.approx(points)


def test_pairs_are_found_among_the_games_of_an_event() -> None:
    """The same players from the same opening, with the seats swapped, and both games played."""
    games = {
        0: RatedGame("a", "b", 0),
        1: RatedGame("b", "a", None),
        2: RatedGame("b", "a", 0, opening="x"),
        3: RatedGame("a", "b", 0, opening="x"),
        4: RatedGame("a", "b", 0, opening="x"),
        5: RatedGame("b", "a", 0, opening="y"),
        6: RatedGame("a", "b", 1),
        9: RatedGame("b", "a", 1),
    }
    assert paired(games) == {
        ("a", "b"): PairCounts((0, 0, 0, 1, 0)),
        ("b", "a"): PairCounts((0, 0, 1, 0, 0)),
    }


def test_the_other_player_sees_the_opposite_points() -> None:
    """What was lost by one was won by the other."""
    assert PairCounts((1, 2, 3, 4, 5)).seen_from_the_other() == PairCounts((5, 4, 3, 2, 1))
