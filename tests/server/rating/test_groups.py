"""Groups of players that games connect."""

import numpy as np

from mancala.server.model.game import Tally
from mancala.server.rating.fit import fit_columns
from mancala.server.rating.pair_table import PairTable


def reached(pairs: set[tuple[str, str]], name: str) -> frozenset[str]:
    found = {name}
    while True:
        near = {other for pair in pairs if found & set(pair) for other in pair}
        if near <= found:
            return frozenset(found)
        found |= near


def test_players_are_grouped_by_whom_they_can_reach(rng: np.random.Generator) -> None:
    """Two players have the same number if a chain of games connects them, and only then."""
    names = [f"bot{number}" for number in range(60)]
    for games in (0, 10, 30, 60, 200):
        pairs = {
            (names[one], names[two])
            for one, two in (rng.choice(60, 2, replace=False) for _ in range(games))
        }
        table = PairTable(dict.fromkeys(pairs, Tally(1, 0, 1)))
        table.name(names)
        found = fit_columns(table.columns())
        groups: dict[int, set[str]] = {}
        for rating, number in zip(found.players, found.groups.tolist(), strict=True):
            groups.setdefault(number, set()).add(rating.name)
        assert {frozenset(group) for group in groups.values()} == {
            reached(pairs, name) for name in names
        }


def test_a_long_chain_is_one_group() -> None:
    """Two thousand players of whom each met the next are one group, in whatever order."""
    chain = {(f"bot{place}", f"bot{place + 1}"): Tally(1, 0, 1) for place in range(1999)}
    found = fit_columns(PairTable(chain).columns())
    assert set(found.groups.tolist()) == {0}
