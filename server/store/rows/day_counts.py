"""What was counted in the last 24 hours, as a former server left it."""

from typing import Final

from sqlalchemy import bindparam, delete, select

from ...model.day_counts import Counted
from ..database.schema import day_counts
from ..database.shapes import things
from ..database.writer import Transaction

MOST_READ: Final = 100_000
"""Items that a start reads, the latest ones."""
FORGET_COUNTS: Final = delete(day_counts).where(day_counts.c.counted_at < bindparam("before"))


def counted_since(transaction: Transaction, since: str) -> list[Counted]:
    """Return what was counted since a time, RFC 3339; the earliest first."""
    at = day_counts.c.counted_at
    query = select(day_counts).where(at >= since).order_by(at.desc()).limit(MOST_READ)
    return things(transaction, Counted, query)[::-1]


def forget_counted(transaction: Transaction, before: str) -> None:
    """Delete what was counted before a time, RFC 3339."""
    transaction.execute(FORGET_COUNTS, {"before": before}).close()
