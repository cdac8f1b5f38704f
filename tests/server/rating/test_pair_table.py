"""The outcomes by pair of players, in columns."""

from random import Random

import pytest

from mancala.server.model.game import Tally
from mancala.server.model.pair_counts import PairCounts
from mancala.server.rating.pair_table import PairTable
from tests.seeds import seed


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


def test_a_table_made_at_once_is_the_one_that_games_made_one_by_one() -> None:
    """Tallies and pairs from either seat, pairs of those without a tally, and what all came to."""
    rng = Random(seed())
    names = [f"bot{number}" for number in range(12)]
    seats = {(one, other) for one, other in (rng.sample(names, 2) for _ in range(60))}
    tallies = {each: Tally(rng.randrange(3), rng.randrange(3), 1) for each in sorted(seats)}
    counted = [each for each in sorted(seats) if rng.random() < 0.5]
    pairs = {each: PairCounts((1, rng.randrange(4), 0, 0, 2)) for each in counted}
    pairs["newcomer", names[0]] = PairCounts((0, 0, 1, 0, 0))
    whole, grown = PairTable(tallies, pairs), PairTable()
    for each, tally in tallies.items():
        grown.add(each, tally)
    for each, counts in pairs.items():
        grown.add_pairs(each, counts)
    for one in (*names, "newcomer"):
        for other in (*names, "newcomer"):
            assert whole.tally((one, other)) == grown.tally((one, other))
            assert whole.pairs((one, other)) == grown.pairs((one, other))
        assert whole.columns_of([one]).low.size == grown.columns_of([one]).low.size
    assert whole.records() == grown.records()
    whole.add((names[0], names[1]), Tally(1))
    grown.add((names[0], names[1]), Tally(1))
    assert whole.tally((names[0], names[1])) == grown.tally((names[0], names[1]))
