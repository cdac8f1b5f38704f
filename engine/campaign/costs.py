"""What a subproof is expected to cost, from those that are finished.

The nodes of a proof grow exponentially with the seeds that it must play away before the endgame
tables know the rest: on positions of Kalah(6,6) by 1.5 times a seed. The growth is fitted by least
squares to the logarithms of what subproofs took, beside a few imagined ones that stand for those
positions. That line gives the usual cost. The mean is larger, as a few subproofs take far longer
than usual; it is the usual cost times what all subproofs took together, over what was usual for
them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

FIRST: Final = 4.5
"""Binary logarithm of the nodes just above the tables, before anything is measured."""
GROWTH: Final = 0.6
"""Binary logarithm of the growth a seed, before anything is measured."""
IMAGINED: Final = (8, 24, 48)
"""Seeds above the tables of the imagined subproofs."""
UNFINISHED: Final = 2.0
"""Binary logarithm by which a subproof that was given up would have taken longer, at least."""


LEAF_FIRST: Final = 4.7
"""Binary logarithm of the mean nodes of a certificate's leaf just above the tables."""
LEAF_GROWTH: Final = 0.5
"""Binary logarithm of what a leaf grows by for a seed that the tables reach less."""
LONG: Final = 10**9
"""Nodes from which a campaign is taken to have used large tables, not those of a fresh install."""
LARGE_TABLES: Final = 30


def leaf_nodes(seeds: int, table_seeds: int) -> float:
    """Return the mean of the nodes that leaves of these seeds in play take, within a factor of ten.

    Fitted to those of Kalah(6,6), which campaigns have cut to less than 2^20 nodes each.
    """
    return math.exp2(LEAF_FIRST + LEAF_GROWTH * max(0, seeds - table_seeds))


def check_nodes(took: int, seeds: Sequence[int], table_seeds: int, fresh_seeds: int) -> float:
    """Return the nodes that a new proof of all leaves takes, by their seeds in play.

    ``took`` is what the campaign took, 0 where that is not known; ``fresh_seeds`` what the tables
    of a fresh install reach. With the same tables the leaves take less, by half or so.
    """
    usual = max(fresh_seeds, LARGE_TABLES) if took >= LONG else fresh_seeds
    grown = took * math.exp2(LEAF_GROWTH * max(0, usual - table_seeds))
    return min(grown or math.inf, sum(leaf_nodes(each, table_seeds) for each in seeds))


@dataclass(frozen=True, slots=True)
class Fit:
    """A straight line through the binary logarithms of costs: just above the tables, and a seed.

    ``excess`` is what all subproofs took together, over what the line says of them; ``tables`` the
    seeds that the tables reach.
    """

    first: float
    growth: float
    excess: float
    tables: int

    def usual(self, seeds: int) -> float:
        """Return the nodes that half of the subproofs of these seeds in play do not exceed."""
        return math.exp2(self.first + self.growth * max(0, seeds - self.tables))


class Costs:
    """Costs of subproofs by the seeds in play, above those that the endgame tables reach."""

    def __init__(self, table_seeds: int) -> None:
        self._tables = table_seeds
        self._seen = [(float(seeds), FIRST + GROWTH * seeds) for seeds in IMAGINED]
        self._fit: Fit | None = None

    def add(self, seeds: int, nodes: int, *, finished: bool) -> None:
        """Note what a subproof of this many seeds in play took until it ended or was given up."""
        if nodes <= 0:
            return
        above = max(0, seeds - self._tables)
        self._seen.append((float(above), math.log2(nodes) + (0 if finished else UNFINISHED)))
        self._fit = None

    @property
    def fit(self) -> Fit:
        """The line through what was seen."""
        if self._fit is None:
            self._fit = _fitted(self._seen, self._tables)
        return self._fit

    def usual(self, seeds: int) -> float:
        """Return what `Fit.usual` says by now."""
        return self.fit.usual(seeds)

    def mean(self, seeds: int) -> float:
        """Return the mean of the nodes of subproofs of these seeds in play."""
        return self.usual(seeds) * self.fit.excess


def _fitted(seen: list[tuple[float, float]], tables: int) -> Fit:
    count = len(seen)
    mean_x = sum(x for x, _ in seen) / count
    mean_y = sum(y for _, y in seen) / count
    variance = sum((x - mean_x) ** 2 for x, _ in seen)
    growth = sum((x - mean_x) * (y - mean_y) for x, y in seen) / variance
    first = mean_y - growth * mean_x
    measured = seen[len(IMAGINED) :]
    took = sum(math.exp2(y) for _, y in measured)
    usual = sum(math.exp2(first + growth * x) for x, _ in measured)
    return Fit(first, growth, took / usual if measured else 1.0, tables)
