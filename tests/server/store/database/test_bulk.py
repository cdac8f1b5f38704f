"""Very many rows are put into a table in the way of its database."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, Self

import sqlalchemy as sa

from mancala.server.store.database.bulk import fill

COLUMNS = ("n", "order")
ROWS = [(1, "one"), (2, None)]


class CopyingDriver:
    """A connection of PostgreSQL's driver, which can copy rows into a table and nothing else."""

    def __init__(self) -> None:
        self.copied: list[tuple[str, list[tuple[object, ...]]]] = []

    @contextmanager
    def cursor(self) -> Iterator[Self]:
        yield self

    @contextmanager
    def copy(self, statement: str) -> Iterator[SimpleNamespace]:
        rows = list[tuple[object, ...]]()
        yield SimpleNamespace(write_row=rows.append)
        self.copied.append((statement, rows))


def test_each_row_is_put_into_the_columns_named() -> None:
    """In SQLite, by their names, though one is a word of SQL."""
    with sa.create_engine("sqlite://").begin() as connection:
        connection.execute(sa.text('CREATE TABLE t (m, "order" TEXT, n INTEGER)'))
        fill(connection, "t", COLUMNS, iter(ROWS))
        assert connection.execute(sa.text('SELECT n, "order" FROM t ORDER BY n')).all() == ROWS


def test_postgresql_is_given_the_rows_as_one_copy() -> None:
    """All of them, in order, under the names of their columns."""
    driver = CopyingDriver()
    dialect = SimpleNamespace(name="postgresql")
    connection: Any = SimpleNamespace(
        connection=SimpleNamespace(dbapi_connection=driver), dialect=dialect
    )
    fill(connection, "t", COLUMNS, iter(ROWS))
    assert driver.copied == [('COPY t ("n", "order") FROM STDIN', ROWS)]
