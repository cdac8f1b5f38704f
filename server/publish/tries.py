"""When rows that were put aside are tried again; pure."""

from collections.abc import Collection, Sequence
from typing import Final

from ..model.journal import OutboxRow

MOST_REFUSED: Final = 1000
"""Refusals after which no more rows that were put aside are tried at a time."""
MOST_ENDED: Final = 3
"""The same, of connections that they ended."""


class Tries:
    """How far the rows that were put aside have been tried again.

    They are tried in order, and round again. The first of each topic goes ahead: while that is
    refused the others of its topic are left, so that they come in order, too.

    Attributes:
        is_due: whether more of them are to be tried.
        last: the number of the last one that was tried.
        go_on: whether the next connection only goes on: the last one ended behind such a row.
    """

    def __init__(self) -> None:
        self.is_due = False
        self.go_on = False
        self.last = 0
        self._began_at = 0
        self._under_way: frozenset[int] = frozenset()
        self._tried: set[int] = set()
        self._topics: dict[str, bool] = {}

    def begin(self) -> None:
        """Try them all, from the one on that comes next."""
        self.is_due = True
        self._began_at = self.last
        self._refusals = self._ends = 0
        self._topics.clear()

    def end(self) -> None:
        """Note that there are no further ones: go round, if this did not begin with the first."""
        self.is_due = self._began_at > 0
        self._began_at = self.last = 0

    def under_way(self, rows: Sequence[OutboxRow]) -> None:
        self._under_way = frozenset(row.seq for row in rows)
        self._tried.clear()
        if rows:
            self.last = rows[-1].seq

    def firsts_of(self, rows: Sequence[OutboxRow]) -> list[OutboxRow]:
        """Return the first row of each topic that none was tried of."""
        firsts = {row.topic: row for row in reversed(rows) if row.topic not in self._topics}
        return sorted(firsts.values())

    def is_wanted(self, row: OutboxRow) -> bool:
        """Return whether a row is to be tried: none before it of its topic was refused."""
        return row.seq not in self._tried and self._topics.get(row.topic, True)

    def note(self, rows: Sequence[OutboxRow], refused: Collection[int]) -> None:
        """Note which of the rows that were tried are refused."""
        for row in rows:
            self._tried.add(row.seq)
            self._topics[row.topic] = row.seq not in refused
        self._refusals += len(refused)
        self.is_due = self._refusals < MOST_REFUSED

    def note_end(self, row: OutboxRow | None) -> None:
        self.go_on = row is not None and row.seq in self._under_way
        if row is not None and self.go_on:
            self.last = row.seq
            self._topics[row.topic] = False
            self._ends += 1
            self.is_due = self._ends < MOST_ENDED
        self._under_way = frozenset()
