"""The outbox: payloads are numbered, published in order, kept for a while, and never too many.

Each row states how many bytes all payloads before it and its own have together (``ends_at``). So
two rows tell how large the outbox is, however many lie between them.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import replace

from mancala.protocol import codec

from ...model.journal import Announcement, OutboxRow, RowRefused
from ..database.schema import counters, outbox
from ..database.statements import change, changed, remove
from ..database.writer import Transaction

ANNOUNCE: Final = sa.insert(outbox)
SUPERSEDE: Final = sa.delete(outbox).where(
    outbox.c.is_retained.is_(True), outbox.c.topic == sa.bindparam("key")
)
ENDS_AT: Final[sa.ColumnClause[int]] = sa.literal_column(
    "(SELECT ends_at FROM outbox ORDER BY seq DESC LIMIT 1)"
)
COUNT: Final = (
    sa.update(counters)
    .where(counters.c.name == sa.literal_column("'seq'"))
    .values(value=counters.c.value + sa.literal_column("1"))
    .returning(counters.c.value, ENDS_AT)
)
DELETED_PER_CALL: Final = 500
"""Rows deleted in one transaction; it delays moves by a few milliseconds."""

ROWS: Final = sa.select(*(outbox.c[name] for name in OutboxRow._fields))
TO_PUBLISH: Final = ROWS.order_by(outbox.c.seq)
UNPUBLISHED: Final = TO_PUBLISH.where(
    outbox.c.published_at.is_(None), outbox.c.aside_since.is_(None)
)
PUBLISHED: Final = change(outbox, "published_at", "aside_since")
ASIDE: Final = TO_PUBLISH.where(outbox.c.aside_since.is_not(None))
PUT_ASIDE: Final = (
    sa.update(outbox)
    .where(outbox.c.seq == sa.bindparam("key"), outbox.c.published_at.is_(None))
    .values(
        aside_since=sa.func.coalesce(outbox.c.aside_since, sa.bindparam("at", type_=sa.Text)),
        refusals=outbox.c.refusals + sa.literal_column("1"),
        refused=sa.bindparam("why"),
    )
)
FIRST_ASIDE: Final = (
    sa.select(*(outbox.c[name] for name in ("seq", "topic", "refused", "refusals", "aside_since")))
    .where(outbox.c.aside_since.is_not(None))
    .order_by(outbox.c.seq)
)
REASONS: Final = (
    sa.select(
        outbox.c.refused,
        sa.func.count().label("rows"),
        sa.func.min(outbox.c.aside_since).label("since"),
        sa.func.min(outbox.c.seq).label("seq"),
    )
    .where(outbox.c.aside_since.is_not(None))
    .group_by(outbox.c.refused)
    .order_by(sa.func.min(outbox.c.seq))
)
LONG_PUBLISHED: Final = (
    sa.select(outbox.c.seq)
    .where(outbox.c.published_at < sa.bindparam("before"))
    .order_by(outbox.c.published_at, outbox.c.seq)
    .limit(DELETED_PER_CALL)
)
FORGET: Final = sa.delete(outbox).where(outbox.c.seq.in_(LONG_PUBLISHED))
NEWEST: Final = sa.select(outbox.c.seq, outbox.c.ends_at).order_by(outbox.c.seq.desc()).limit(1)
OLDEST: Final = (
    sa.select(outbox.c.seq, outbox.c.ends_at, outbox.c.published_at)
    .where(outbox.c.is_retained.is_(False))
    .order_by(outbox.c.seq)
    .limit(DELETED_PER_CALL)
)
FIRST: Final = OLDEST.limit(1)
DROP: Final = remove(outbox)


class Dropped(NamedTuple):
    """What was deleted because the outbox was too large."""

    rows: int
    unpublished: int


class PutAside(NamedTuple):
    """Rows that the broker did not accept for one reason; ``since`` and topic of the oldest."""

    why: str
    rows: int
    since: str
    topic: str


class RowAside(Struct, frozen=True):
    """A row that the broker did not accept: why it last did not, how often, and since when."""

    seq: int
    topic: str
    why: str
    refusals: int
    since: str


def announce(announcement: Announcement, transaction: Transaction) -> None:
    """Number a payload and add it; of those that the broker retains, one a topic stays."""
    [(seq, begins_at)] = transaction.fetch(COUNT, {})
    payload = codec.to_json(replace(announcement.payload, seq=seq))
    if announcement.is_retained:
        transaction.put(SUPERSEDE, {"key": announcement.topic})
    transaction.put(
        ANNOUNCE,
        {
            "seq": seq,
            "event_id": announcement.event_id,
            "topic": announcement.topic,
            "payload": payload.decode(),
            "is_retained": announcement.is_retained,
            "ends_at": (begins_at or 0) + len(payload),
        },
    )


def mark_published(transaction: Transaction, seqs: Iterable[int], at: str) -> None:
    for seq in seqs:
        transaction.put(PUBLISHED, changed(seq, {"published_at": at, "aside_since": None}))


def put_aside(transaction: Transaction, refused: Iterable[RowRefused], at: str) -> None:
    """Put rows aside that the broker did not accept, each with the reason."""
    for seq, why in refused:
        transaction.put(PUT_ASIDE, {"key": seq, "why": why, "at": at})


def put_aside_after(transaction: Transaction, seq: int, limit: int) -> list[OutboxRow]:
    """Return the next rows after a number that were put aside, at most ``limit``."""
    query = ASIDE.where(outbox.c.seq > seq).limit(limit)
    return [OutboxRow._make(row) for row in transaction.execute(query)]


def all_put_aside(transaction: Transaction) -> tuple[PutAside, ...]:
    """Return what is put aside, by reason, beginning with the oldest row."""
    found = transaction.execute(REASONS).all()
    topic = sa.select(outbox.c.topic)
    return tuple(
        PutAside(
            *(row.refused, row.rows, row.since),
            transaction.execute(topic.where(outbox.c.seq == row.seq)).scalar_one(),
        )
        for row in found
    )


def first_put_aside(transaction: Transaction, limit: int) -> list[RowAside]:
    """Return the oldest rows that are put aside, at most ``limit``."""
    return [
        RowAside(row.seq, row.topic, row.refused, row.refusals, row.aside_since)
        for row in transaction.execute(FIRST_ASIDE.limit(limit))
    ]


def unpublished(transaction: Transaction, limit: int) -> list[OutboxRow]:
    return [OutboxRow._make(row) for row in transaction.execute(UNPUBLISHED.limit(limit))]


def depth(transaction: Transaction) -> int:
    """Return the number of payloads not yet published, with those put aside."""
    query = sa.select(sa.func.count()).where(outbox.c.published_at.is_(None))
    return int(transaction.execute(query).scalar_one())


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
        transaction.put(DROP, {"seq": row.seq})
    return Dropped(len(excess), sum(row.published_at is None for row in excess))
