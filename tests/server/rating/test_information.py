"""What a rating rests on."""

import pytest

from mancala.server.model.game import Tally
from mancala.server.rating.fit import Start
from mancala.server.rating.information import rests_on
from mancala.server.rating.pair_table import PairTable

LEVEL = Start(dict.fromkeys("abcd", 1500.0))


def test_level_opponents_count_by_their_games() -> None:
    """Three games against one and one against another make three quarters and one."""
    table = PairTable({("a", "b"): Tally(2, 0, 0), ("b", "a"): Tally(0, 0, 1)})
    table.add(("c", "a"), Tally(1, 0, 0))
    table.add(("c", "b"), Tally(9, 0, 0))
    first, second = rests_on(table.columns(), LEVEL, ["a"], most=5)["a"]
    assert (first.opponent, second.opponent) == ("b", "c")
    assert first.share == pytest.approx(0.75)
    assert second.share == pytest.approx(0.25)


def test_a_game_whose_winner_is_known_says_little() -> None:
    """As many games against an opponent 800 Elo weaker weigh a tenth or less."""
    table = PairTable({("a", "b"): Tally(8, 0, 0), ("a", "c"): Tally(4, 0, 4)})
    at = Start({"a": 1500.0, "b": 700.0, "c": 1500.0})
    first, second = rests_on(table.columns(), at, ["a"], most=5)["a"]
    assert (first.opponent, second.opponent) == ("c", "b")
    assert second.share < 0.1
    assert first.share + second.share == pytest.approx(1)


def test_the_greatest_shares_are_named() -> None:
    """Of equal ones the first by name; a player without games rests on none."""
    table = PairTable({("a", name): Tally(1, 0, 1) for name in "dcb"})
    found = rests_on(table.columns(), LEVEL, ["a", "x"], most=2)
    assert [share.opponent for share in found["a"]] == ["b", "c"]
    assert found["x"] == ()


def test_the_pairs_of_some_players_are_enough() -> None:
    """The columns of the players in question give the same shares as all columns."""
    table = PairTable({("a", "b"): Tally(2, 0, 0), ("c", "d"): Tally(7, 0, 0)})
    table.add(("d", "a"), Tally(0, 1, 0))
    some = table.columns_of(["a", "x"])
    assert some.low.size == 2
    assert rests_on(some, LEVEL, ["a"], most=5) == rests_on(table.columns(), LEVEL, ["a"], most=5)
    assert PairTable().columns_of(["a"]).low.size == 0
