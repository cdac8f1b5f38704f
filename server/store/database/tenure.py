"""Which server holds a schema of PostgreSQL: one at a time, in tenures that are numbered.

A claim waits for an advisory lock of its session and adds one to the number of the tenure. The lock
ends with the session: with its process, and, by the keepalives of TCP, some seconds after its
machine or the way to it is gone. A session that ends takes its transaction along before its lock is
free, so what a former holder has begun becomes durable before the next claim or never.

A writer whose connection was lost claims again under the number that it has. If another server has
claimed the schema meanwhile, the number is another one, and the writer is done: it writes, reads
and announces nothing more, also where the other one has left by then. No clock decides this; times
are for people to read.
"""

import os  # noqa: TID251  # the number of this process
import platform
from typing import Final, NamedTuple, Self

import sqlalchemy as sa
from sqlalchemy.exc import OperationalError, ProgrammingError
from sqlalchemy.schema import CreateSchema

from ...model.tenure import Tenure
from .faults import StoreInUseError, StoreTakenOverError, driver_error, is_lost_connection

ADVISORY: Final = 1_297_043_009
"""``MANA`` in ASCII: the first half of our advisory locks' keys; the second is the schema's."""
PATIENCE_MS: Final = 5000
"""PostgreSQL takes a moment, on a busy machine some, to notice that the last owner was killed."""
HELD: Final = "tenure"
"""The key of a connection's tenure in its ``info``."""
NO_TABLE: Final = "42P01"
"""PostgreSQL's SQLSTATE of a table that is not there."""
TENURE: Final = sa.Table(
    "tenure",
    sa.MetaData(),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("process", sa.Integer, nullable=False),
    sa.Column("since", sa.DateTime(timezone=True), nullable=False),
)
"""One row: the present tenure, or the last one. It is no part of a store, so no copy has it."""


class Owner(NamedTuple):
    """The holder of a tenure, with its time in UTC."""

    number: int
    host: str
    process: int
    since: str

    @classmethod
    def of(cls, connection: sa.Connection) -> Self | None:
        """Return the present or last holder; None where there was none yet."""
        at = sa.func.to_char(sa.func.timezone("UTC", TENURE.c.since), 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
        columns = (TENURE.c.number, TENURE.c.host, TENURE.c.process, at)
        try:
            found = connection.execute(sa.select(*columns)).first()
        except ProgrammingError as error:
            if getattr(driver_error(error), "sqlstate", None) != NO_TABLE:
                raise
            found = None
        connection.rollback()
        return None if found is None else cls(*found)

    def __str__(self) -> str:
        return f"{self.host} (process {self.process})"


def lock_of(schema: str) -> tuple[int, sa.ColumnElement[int]]:
    """Return both halves of the key of the lock that a schema's owner holds."""
    return ADVISORY, sa.func.hashtext(schema)


def claim(connection: sa.Connection, schema: str, place: str, held: Tenure | None) -> None:
    """Wait for a schema's lock, and make the schema.

    Args:
        connection: its session has the lock from then on.
        schema: its name.
        place: the store's place, for errors.
        held: the tenure that the caller had over a connection that is lost.

    Raises:
        StoreInUseError: when another process has the lock for too long.
        StoreTakenOverError: when another tenure has begun since, or there is none any more.
    """
    _expect(connection, place, held)
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {PATIENCE_MS}")
    try:
        connection.execute(sa.select(sa.func.pg_advisory_lock(*lock_of(schema))))
    except OperationalError as error:
        if is_lost_connection(error):
            raise
        connection.rollback()
        raise _in_use(connection, place) from None
    if not sa.inspect(connection).has_schema(schema):  # a role without CREATE may own one
        connection.execute(CreateSchema(schema, if_not_exists=True))
    connection.commit()
    _expect(connection, place, held)


def expect_free(connection: sa.Connection, schema: str, place: str) -> None:
    """Raise StoreInUseError where another session has a schema's lock; keep none."""
    ask = sa.func.pg_try_advisory_xact_lock_shared(*lock_of(schema))  # others may ask, too
    is_free = connection.scalar(sa.select(ask))
    connection.rollback()
    if not is_free:
        raise _in_use(connection, place)


def _in_use(connection: sa.Connection, place: str) -> StoreInUseError:
    """Return the error of a store that another process has, with its owner where that is known."""
    owner = Owner.of(connection)
    return StoreInUseError(place, owner and owner.host, owner and str(owner))


def begin(connection: sa.Connection) -> Tenure:
    """Begin a tenure in a schema that was claimed."""
    TENURE.create(connection, checkfirst=True)
    host = platform.node()
    holder = {"host": host, "process": os.getpid(), "since": sa.func.now()}
    further = sa.update(TENURE).values(number=TENURE.c.number + 1, **holder)
    number = connection.execute(further.returning(TENURE.c.number)).scalar()
    if number is None:
        number = 1
        connection.execute(sa.insert(TENURE).values(number=number, **holder))
    connection.commit()
    return Tenure(number, host)


def _expect(connection: sa.Connection, place: str, held: Tenure | None) -> None:
    if held is None:
        return
    owner = Owner.of(connection)
    if owner is None:
        raise StoreTakenOverError(f"{place}: the tenure of this server is gone")
    if owner[:3] != (*held, os.getpid()):  # a number may be lost
        by = f"{owner} at {owner.since}, tenure {owner.number}"
        raise StoreTakenOverError(f"{place} was taken over by {by}")
