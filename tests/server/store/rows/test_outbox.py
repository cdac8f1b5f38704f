"""The outbox keeps the latest payloads, however many come and whether or not a broker is there."""

import pytest

from mancala.protocol.results import Payload
from mancala.server.model.journal import Announced, Announcement, RowRefused
from mancala.server.store.database.schema import outbox
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import write_all
from mancala.server.store.rows.outbox import (
    DELETED_PER_CALL,
    Dropped,
    PutAside,
    RowAside,
    all_put_aside,
    drop_oldest,
    first_put_aside,
    mark_published,
    put_aside,
    put_aside_after,
    unpublished,
)
from tests.server.store.test_entries import rows

pytestmark = pytest.mark.usefixtures("database")

PLENTY = 10**9


def announced(transaction: Transaction, count: int, *, retained: bool = False) -> None:
    told = [f"{retained} {number:04}" for number in range(count)]
    write_all(
        [
            Announced(Announcement("topic", event, Payload(event, 0, "test"), is_retained=retained))
            for event in told
        ],
        transaction,
    )


def kept(transaction: Transaction) -> list[int]:
    return sorted(seq for (seq,) in rows(transaction, outbox, "seq"))


def test_the_oldest_rows_are_deleted_beyond_a_number(transaction: Transaction) -> None:
    """Published or not; those that the broker never got are counted."""
    announced(transaction, 10)
    mark_published(transaction, [1], "2026-01-01")
    assert drop_oldest(transaction, 10, PLENTY) == Dropped(0, 0)
    assert drop_oldest(transaction, 7, PLENTY) == Dropped(3, 2)
    assert kept(transaction) == [4, 5, 6, 7, 8, 9, 10]


def test_the_oldest_rows_are_deleted_beyond_some_bytes(transaction: Transaction) -> None:
    """What stays has at most N rows."""
    announced(transaction, 9)
    (size,) = {len(payload) for (payload,) in rows(transaction, outbox, "payload")}
    assert drop_oldest(transaction, PLENTY, 9 * size + 1) == Dropped(0, 0)
    assert drop_oldest(transaction, PLENTY, 4 * size) == Dropped(5, 5)
    assert kept(transaction) == [6, 7, 8, 9]


def test_what_the_broker_retains_stays(transaction: Transaction) -> None:
    """There is one a topic, however old."""
    announced(transaction, 2, retained=True)
    announced(transaction, 3)
    assert drop_oldest(transaction, 1, PLENTY) == Dropped(2, 2)
    assert kept(transaction) == [2, 5]


def test_few_rows_are_deleted_in_one_transaction(transaction: Transaction) -> None:
    """So that no move waits for long; the next call goes on."""
    announced(transaction, DELETED_PER_CALL + 3)
    assert drop_oldest(transaction, 1, PLENTY).rows == DELETED_PER_CALL
    assert drop_oldest(transaction, 1, PLENTY).rows == 2
    assert drop_oldest(transaction, 1, PLENTY).rows == 0


def test_a_row_that_is_put_aside_waits_for_another_try(transaction: Transaction) -> None:
    """It keeps its number and the time of its first refusal, and is counted by the last reason."""
    announced(transaction, 4)
    put_aside(transaction, [RowRefused(2, "too large"), RowRefused(3, "too large")], "2026-01-01")
    put_aside(transaction, [RowRefused(2, "not allowed")], "2026-01-02")
    assert [row.seq for row in unpublished(transaction, 9)] == [1, 4]
    assert [row.seq for row in put_aside_after(transaction, 2, 9)] == [3]
    assert all_put_aside(transaction) == (
        PutAside("not allowed", 1, "2026-01-01", "topic"),
        PutAside("too large", 1, "2026-01-01", "topic"),
    )
    assert first_put_aside(transaction, 1) == [
        RowAside(2, "topic", "not allowed", refusals=2, since="2026-01-01")
    ]
    assert rows(transaction, outbox, "seq", "refusals") == {(1, 0), (2, 2), (3, 1), (4, 0)}


def test_a_row_that_is_published_is_put_aside_no_longer(transaction: Transaction) -> None:
    """A refusal that is noted too late changes nothing."""
    announced(transaction, 2)
    put_aside(transaction, [RowRefused(1, "too large")], "2026-01-01")
    mark_published(transaction, [1], "2026-01-02")
    put_aside(transaction, [RowRefused(1, "too large")], "2026-01-03")
    assert all_put_aside(transaction) == ()
    assert [row.seq for row in unpublished(transaction, 9)] == [2]
