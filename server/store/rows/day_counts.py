"""What was counted in the last 24 hours, as a former server left it."""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam, delete, insert, select

from ...model.day_counts import Counted, CountKind
from ..database.schema import day_counts
from ..database.writer import Transaction

MOST_READ: Final = 100_000
"""Items that a start reads, the latest ones."""
COUNT_ITEM: Final = insert(day_counts)
RECENT: Final = (
    select(day_counts)
    .where(day_counts.c.counted_at >= bindparam("since"))
    .order_by(day_counts.c.counted_at.desc())
    .limit(MOST_READ)
)
FORGET_COUNTS: Final = delete(day_counts).where(day_counts.c.counted_at < bindparam("before"))


def write(entry: Counted, transaction: Transaction) -> None:
    """Write an item that counts."""
    transaction.put(
        COUNT_ITEM,
        {
            "kind": entry.kind.value,
            "ladder": entry.ladder,
            "key": entry.key,
            "item": entry.item,
            "counted_at": entry.at,
        },
    )


def counted_since(transaction: Transaction, since: str) -> list[Counted]:
    """Return what was counted since a time, RFC 3339; the earliest first."""
    rows = transaction.execute(RECENT, {"since": since}).mappings()
    items = [
        Counted(CountKind(row["kind"]), row["key"], row["item"], row["counted_at"], row["ladder"])
        for row in rows
    ]
    return items[::-1]


def forget_counted(transaction: Transaction, before: str) -> None:
    """Delete what was counted before a time, RFC 3339."""
    transaction.execute(FORGET_COUNTS, {"before": before}).close()
