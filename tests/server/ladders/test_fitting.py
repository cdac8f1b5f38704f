"""A ranking is what sorting all of it would give, at every place."""

import random

import pytest

from mancala.server.ladders.fitting import Ranking

SEED = 5
NAMES = [f"bot{number}" for number in range(40)]
NEVER_PLAYED = float("-inf")


def expected(merits: dict[str, float]) -> list[str]:
    return sorted(merits, key=lambda name: (-merits[name], name))


def test_it_stays_sorted_whatever_changes() -> None:
    """Equal merits are ordered by name, and entrants without games are last."""
    rng = random.Random(SEED)
    merits = dict.fromkeys(NAMES[:10], 1500.0)
    ranking = Ranking(merits)
    for turn in range(400):
        changed = {
            name: rng.choice((NEVER_PLAYED, 1400.0, 1500.0, 1500.1, 1600.0))
            for name in rng.sample(NAMES, 1 if turn % 20 else 30)
        }
        merits |= changed
        if len(changed) > 1:
            ranking.replace(merits)
        for name, merit in changed.items():
            ranking.put(name, merit)
        assert ranking.names() == expected(merits)
        assert len(ranking) == len(merits)
    begin = len(merits) // 2
    assert ranking.names(begin, begin + 5) == expected(merits)[begin : begin + 5]


def test_equal_ones_share_a_rank() -> None:
    """The next rank counts all of them."""
    ranking = Ranking({"ann": 1500.0, "bob": 1600.0, "cid": 1500.0, "dan": NEVER_PLAYED})
    assert {name: ranking.rank(name) for name in ("bob", "ann", "cid", "dan")} == {
        "bob": 1,
        "ann": 2,
        "cid": 2,
        "dan": 4,
    }
    with pytest.raises(KeyError):
        ranking.rank("eve")


def test_a_dropped_name_is_ranked_no_more() -> None:
    """The others keep their order; the name may come back."""
    ranking = Ranking({"ann": 1500.0, "bob": 1500.0, "cid": 1600.0})
    ranking.drop("ann")
    assert ranking.names() == ["cid", "bob"]
    with pytest.raises(KeyError):
        ranking.rank("ann")
    ranking.put("ann", 1700.0)
    assert ranking.names() == ["ann", "cid", "bob"]
