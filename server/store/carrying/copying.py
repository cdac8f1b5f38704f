"""Copy a whole store into another one, of SQLite or PostgreSQL alike.

Each table is read in the order of its key, in pieces. The transaction that writes a piece also
notes its last key in the table ``copied`` of the copy, so a copy that was killed goes on there.
While that table has a row, no server opens the copy. In the end every row of both is compared: by
the sum of a hash of each, for which neither their order nor the kind of database matters.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql import ColumnElement

from mancala.protocol import codec
from mancala.protocol.text import quantity

from ..database import bulk
from ..database.database import Access, connect, display, reason_of
from ..database.faults import StoreError
from ..database.schema import copied, counters, metadata, names
from ..database.statements import upsert

ROWS_A_PIECE: Final = 5000
SOURCE: Final = ""
"""Under this name ``copied`` says what is being copied."""
BITS: Final = 128
TABLES: Final = tuple(table for table in metadata.sorted_tables if table is not copied)
"""All that is copied, each after those that it refers to."""
NOTE: Final = upsert(copied)

Progress = Callable[[int, int], None]
"""Called with how many rows are done, and how many there are."""
Key = tuple[Any, ...]


class Sum(NamedTuple):
    """What two tables share when they hold the same rows.

    Attributes:
        total: the sum of a hash of each.
    """

    rows: int = 0
    total: int = 0


def copy_store(source: str, target: str, progress: Progress) -> None:
    """Copy a store to a new place, or go on with a copy that was interrupted.

    Args:
        source: the path or URL of the store; no server may run on it.
        target: the path or URL of the copy.
        progress: called after each piece.

    Raises:
        StoreError: when one of them can't be opened, when there is another store at the target, or
            when the copy differs.
    """
    connect(source, Access.READ).close()  # only a store that is there is owned
    with (
        closing(connect(source, Access.OWN)) as read,
        closing(connect(target, Access.OWN, unfinished=True)) as written,
        read.begin(),
    ):
        copy_rows(read, written, display(source), progress)


def copy_rows(source: sa.Connection, target: sa.Connection, name: str, progress: Progress) -> None:
    """Copy all rows, as the source's transaction sees them, and compare them.

    Args:
        source: a connection within a transaction.
        target: a connection to an empty store, or to an unfinished copy of the same one.
        name: names the source in the copy while it is unfinished.
        progress: called after each piece.

    Raises:
        StoreError: when there is another store at the target, or when the copy differs.
    """
    try:
        _begin(target, name)
        total = sum(source.execute(_count(table)).scalar_one() for table in TABLES)
        done = 0
        for table in TABLES:
            for rows in _copy_table(source, target, table):
                done += rows
                progress(done, 3 * total)
        _compare(source, target, lambda done: progress(total + done, 3 * total))
        with target.begin():
            set_sequences(target)
            target.execute(sa.delete(copied))
    except DBAPIError as error:
        raise StoreError(f"the copy of {name}: {reason_of(error)}") from None


def _count(table: sa.Table) -> sa.Select[Any]:
    return sa.select(sa.func.count()).select_from(table)


def _begin(target: sa.Connection, name: str) -> None:
    with target.begin():
        known = target.execute(sa.select(copied.c.last).where(copied.c.table == SOURCE)).scalar()
        if known is None:
            _expect_empty(target)
            target.execute(sa.insert(copied), {"table": SOURCE, "last": name})
        elif known != name:
            raise StoreError(f"the copy is an unfinished one of {known}, not of {name}")


def _expect_empty(target: sa.Connection) -> None:
    for table in TABLES:
        if table is not counters and target.execute(sa.select(table).limit(1)).first() is not None:
            raise StoreError(f"there is a store at the target already: {table.name} has rows")


def _copy_table(source: sa.Connection, target: sa.Connection, table: sa.Table) -> Iterator[int]:
    """Copy what is left of a table; yield the number of rows copied before, then each piece's."""
    with target.begin():
        last = _noted(target, table)
        if last is None:
            target.execute(sa.delete(table))  # a new store has counters
        else:
            yield target.execute(_count(table)).scalar_one()
    query = _ordered(table)
    while last != ():
        rows = source.execute(query.where(_is_after(table, last))).all()
        last = _key_of(table, rows[-1]) if len(rows) == ROWS_A_PIECE else ()
        with target.begin():
            bulk.fill(
                target, table.name, [column.name for column in table.columns], map(tuple, rows)
            )
            note = codec.to_json(last).decode()
            target.execute(NOTE, {"table": table.name, "last": note})
        yield len(rows)


def _noted(target: sa.Connection, table: sa.Table) -> Key | None:
    note = target.execute(sa.select(copied.c.last).where(copied.c.table == table.name)).scalar()
    return None if note is None else tuple(codec.from_json(note, list[str | int]))


def _ordered(table: sa.Table) -> sa.Select[Any]:
    keys = list(table.primary_key)
    return sa.select(table).order_by(*keys).limit(ROWS_A_PIECE) if keys else sa.select(table)


def _key_of(table: sa.Table, row: sa.Row[Any]) -> Key:
    return tuple(row._mapping[column] for column in table.primary_key)  # noqa: SLF001  # SQLAlchemy's public name


def _is_after(table: sa.Table, last: Key | None) -> ColumnElement[bool]:
    """Return the condition of rows after a key, in the order of the source's own index."""
    return sa.true() if last is None else sa.tuple_(*table.primary_key) > sa.tuple_(*last)


def set_sequences(target: sa.Connection) -> None:
    """Set PostgreSQL's sequences past the rows that came with their numbers."""
    if target.dialect.name == "postgresql":
        target.execute(
            sa.text(
                f"SELECT setval(pg_get_serial_sequence('{names.name}', '{names.c.key.name}'), "  # noqa: S608  # our own names
                f"(SELECT coalesce(max({names.c.key.name}), 0) + 1 FROM {names.name}), false)"
            )
        )


# Comparing


def _compare(source: sa.Connection, target: sa.Connection, progress: Callable[[int], None]) -> None:
    done = 0
    with target.begin():
        for table in TABLES:
            sums = []
            for connection in (source, target):
                found = _sum_of(connection, table)
                sums.append(found)
                done += found.rows
                progress(done)
            if sums[0] != sums[1]:
                raise StoreError(
                    f"the copy differs in {table.name}: it has {quantity(sums[1].rows, 'row')}, the"
                    f" store {sums[0].rows}; was a server started on it meanwhile? Delete the copy,"
                    " and begin again"
                )


def _sum_of(connection: sa.Connection, table: sa.Table) -> Sum:
    rows = total = 0
    found = connection.execute(sa.select(table), execution_options={"yield_per": ROWS_A_PIECE})
    for row in found:
        rows += 1
        total += int.from_bytes(blake2b(repr(tuple(row)).encode(), digest_size=16).digest(), "big")
    return Sum(rows, total % 2**BITS)
