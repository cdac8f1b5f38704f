"""Which rows may be under way together, and which of them the broker does not survive.

A broker may close the connection on a row instead of refusing it: on a character of its topic, on
its size. Nothing says which row it was. But brokers acknowledge in order, so when a connection ends
it is most likely the first row without an answer. One end may be the broker's own; the second one
behind the same row counts as a refusal. After an end rows go one by one, and with each answer one
more may be under way, so that at the second end hardly another row is in doubt.

A row that was refused so may have followers: the next row of a ladder has the same topic. A broker
knows a row by its topic and its size, so a row of such a topic that is no smaller shares the fate
of the one before, and ends no further connection.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from ..model.journal import OutboxRow

MOST_TOGETHER: Final = 100
"""The most payloads under way. All brokers that were tried took 100 and acknowledged in order."""
MOST_BYTES: Final = 256 * 1024
"""Of all rows under way, if they are more than one; they have some seconds to be acknowledged."""
ENDS: Final = 2
"""Ends of connections behind a row, after which it counts as refused."""


class Window:
    """The rows under way on one connection after another."""

    def __init__(self) -> None:
        self._size = MOST_TOGETHER
        self._under_way: dict[int, OutboxRow] = {}
        self._ends: Counter[int] = Counter()
        self._shunned: dict[str, int] = {}

    def room(self, rows: Sequence[OutboxRow], most: int) -> int:
        """Return how many of the next rows may go now, if the broker takes N together."""
        size = sum(len(row.payload) for row in self._under_way.values())
        free = min(self._size, most) - len(self._under_way)
        is_alone = any(row.ends_connections for row in self._under_way.values())
        count = 0
        for row in rows[: max(0, free)]:
            size += len(row.payload)
            is_first = not self._under_way and count == 0
            if not is_first and (size > MOST_BYTES or row.ends_connections or is_alone):
                break
            count += 1
            if row.ends_connections:
                break
        return count

    def begin(self, row: OutboxRow) -> None:
        """Note that a row is under way."""
        self._under_way[row.seq] = row

    def note(self, answered: Collection[int]) -> None:
        """Note which rows the broker has answered; for each of them one more may be under way."""
        for seq in answered:
            row = self._under_way.pop(seq)
            self._ends.pop(seq, None)
            if self.is_shunned(row):
                del self._shunned[row.topic]
        self._size = min(MOST_TOGETHER, self._size + len(answered))

    def blame(self) -> tuple[OutboxRow | None, bool]:
        """Note the end of a connection; return the row behind it, and whether it is refused."""
        if not self._under_way:
            return None, False
        row = next(iter(self._under_way.values()))
        self._under_way.clear()
        self._size = 1
        self._ends[row.seq] += 1
        is_refused = row.ends_connections or self._ends[row.seq] >= ENDS
        if is_refused:
            del self._ends[row.seq]
            known = self._shunned.get(row.topic, len(row.payload))
            self._shunned[row.topic] = min(known, len(row.payload))
        return row, is_refused

    def is_shunned(self, row: OutboxRow) -> bool:
        """Return whether a row is no smaller than one of its topic that ended connections."""
        return len(row.payload) >= self._shunned.get(row.topic, len(row.payload) + 1)
