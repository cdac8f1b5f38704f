"""What becomes of the outbox's rows: published in order, kept for a while, and never too many.

Each row states how many bytes all payloads before it and its own have together (``ends_at``). So
two rows tell how large the outbox is, however many lie between them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from sqlalchemy import bindparam, delete, select, update

from ...model.journal import OutboxRow
from ..database.schema import outbox
from ..database.writer import Transaction

DELETED_PER_CALL: Final = 500
"""Rows deleted in one transaction; it delays moves by a few milliseconds."""

UNPUBLISHED: Final = (
    select(outbox.c.seq, outbox.c.topic, outbox.c.payload, outbox.c.is_retained)
    .where(outbox.c.published_at.is_(None))
    .order_by(outbox.c.seq)
)
PUBLISHED: Final = (
    update(outbox)
    .where(outbox.c.seq == bindparam("key"))
    .values(published_at=bindparam("new_published_at"))
)
LONG_PUBLISHED: Final = (
    select(outbox.c.seq)
    .where(outbox.c.published_at < bindparam("before"))
    .order_by(outbox.c.published_at, outbox.c.seq)
    .limit(DELETED_PER_CALL)
)
FORGET: Final = delete(outbox).where(outbox.c.seq.in_(LONG_PUBLISHED))
NEWEST: Final = select(outbox.c.seq, outbox.c.ends_at).order_by(outbox.c.seq.desc()).limit(1)
OLDEST: Final = (
    select(outbox.c.seq, outbox.c.ends_at, outbox.c.published_at)
    .where(outbox.c.is_retained.is_(False))
    .order_by(outbox.c.seq)
    .limit(DELETED_PER_CALL)
)
FIRST: Final = OLDEST.limit(1)
DROP: Final = delete(outbox).where(outbox.c.seq == bindparam("key"))


class Dropped(NamedTuple):
    """What was deleted because the outbox was too large.

    Attributes:
        rows: how many rows.
        unpublished: how many of them the broker never got.
    """

    rows: int
    unpublished: int


def unpublished(transaction: Transaction, limit: int) -> list[OutboxRow]:
    """Return the next rows to publish, at most ``limit``."""
    return [OutboxRow._make(row) for row in transaction.execute(UNPUBLISHED.limit(limit))]


def bytes_held(transaction: Transaction) -> int:
    """Return the bytes of all payloads, published or not, which ``mqtt.outbox_bytes`` bounds."""
    newest = transaction.execute(NEWEST).one_or_none()
    oldest = transaction.execute(FIRST).one_or_none()
    if newest is None or oldest is None or oldest.ends_at is None:
        return 0
    return int(newest.ends_at - oldest.ends_at)


def forget_published(transaction: Transaction, before: str) -> int:
    """Delete some rows published before a time, the oldest first; return how many."""
    return transaction.execute(FORGET, {"before": before}).rowcount


def drop_oldest(transaction: Transaction, most_rows: int, most_bytes: int) -> Dropped:
    """Delete some of the oldest rows while there are too many, or too many bytes.

    Payloads that the broker retains stay: there is one a topic.

    Args:
        transaction: the transaction.
        most_rows: the most rows.
        most_bytes: the most bytes of all payloads together.
    """
    newest = transaction.execute(NEWEST).one_or_none()
    if newest is None:
        return Dropped(0, 0)
    excess = [
        row
        for row in transaction.execute(OLDEST)
        if row.seq <= newest.seq - most_rows
        or (row.ends_at is not None and row.ends_at <= newest.ends_at - most_bytes)
    ]
    for row in excess:
        transaction.put(DROP, {"key": row.seq})
    return Dropped(len(excess), sum(row.published_at is None for row in excess))
