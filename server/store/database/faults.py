"""Whose fault an error of the database is: the work's, or the store's.

What a piece of work brings may be wrong: a text that the database can't hold, a key that is there
already, a number out of range. Then this piece fails, and all others go on. Or the store itself is
broken: the disk is full or gone, the connection is lost, a table is missing. Then nothing can be
made durable, so nothing may be announced, and the server stops.

The drivers share the classes of PEP 249, which are told apart by name, since psycopg may not be
installed. ``DataError`` and ``IntegrityError`` are the work's. PostgreSQL also has faults of the
work among its ``OperationalError``, such as an index row that is too long; its SQLSTATE tells them
apart. An error that comes from no database is the work's, since it was raised by our own code; so
is a ``ProgrammingError`` that the driver raises before it asks the database.
"""

from typing import Final

from sqlalchemy.exc import DBAPIError, StatementError

CANCELLED: Final = "57014"
"""PostgreSQL's SQLSTATE of a query that ran into ``statement_timeout``."""
READ_ONLY: Final = "25006"
"""Its SQLSTATE of a write where none is taken, as in a replica that was not promoted yet."""
TAKES_NOTHING: Final = "takes nothing in: it is a replica, or read-only for this role"
INTERRUPTED: Final = "interrupted"
"""SQLite's message when its progress handler ends a query."""
DATABASE: Final = "DatabaseError"
INTERFACE: Final = "InterfaceError"
OF_THE_WORK: Final = frozenset(("DataError", "IntegrityError", "NotSupportedError"))
CLASSES_OF_THE_WORK: Final = frozenset(("21", "22", "23", "40", "44", "54"))
"""Classes of SQLSTATE: cardinality, data, integrity, rollback, check option, program limits."""


class StoreError(Exception):
    """The store can't be used."""


class StoreInUseError(StoreError):
    """Another server uses the store.

    Attributes:
        host: the machine on which that server runs, where the store says so.
        owner: the same with its process.
    """

    def __init__(self, place: str, host: str | None = None, owner: str | None = None) -> None:
        self.host = host
        self.owner = owner
        by = "" if owner is None else f" on {owner}"
        super().__init__(f"{place} is in use by another server{by}")


class StoreMissingError(StoreError):
    """There is no store, and only the owner creates one."""


class StoreUnreachedError(StoreError):
    """The database of the store can't be reached, or the connection to it was lost."""


class BrokenStoreError(Exception):
    """The store takes no more work."""


class StoreTakenOverError(BrokenStoreError):
    """Another server has claimed the store since this one had it, or its tenure is gone."""


class UnansweredError(Exception):
    """A question took longer than it may, or the store can't be reached now."""


def is_cancelled(error: BaseException) -> bool:
    """Return whether the database ended a query at its limit."""
    cause = driver_error(error)
    return getattr(cause, "sqlstate", None) == CANCELLED or str(cause) == INTERRUPTED


def is_of_the_work(error: BaseException) -> bool:
    """Return whether an error concerns one piece of work only."""
    cause = driver_error(error)
    names = {kind.__name__ for kind in type(cause).__mro__}
    if isinstance(cause, BrokenStoreError):
        return False
    if names.isdisjoint((DATABASE, INTERFACE)):
        return not isinstance(cause, OSError)
    state = getattr(cause, "sqlstate", None) or ""
    is_misuse = not state and "ProgrammingError" in names
    return is_misuse or not names.isdisjoint(OF_THE_WORK) or state[:2] in CLASSES_OF_THE_WORK


def is_locked(error: BaseException) -> bool:
    """Return whether another program held the lock of SQLite's file for too long."""
    return getattr(driver_error(error), "sqlite_errorname", "") == "SQLITE_BUSY"


def is_lost_connection(error: BaseException) -> bool:
    """Return whether PostgreSQL's connection was lost; its next one may serve as well."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    cause = driver_error(error)
    if type(cause).__module__.partition(".")[0] != "psycopg":
        return False
    state = getattr(cause, "sqlstate", None) or ""
    names = {kind.__name__ for kind in type(cause).__mro__}
    is_server_gone = state[:3] == "57P" or state[:2] == "08"
    return is_server_gone or (not state and "OperationalError" in names)


def takes_nothing(error: BaseException) -> bool:
    """Return whether PostgreSQL takes no write, as a replica before its promotion."""
    return getattr(driver_error(error), "sqlstate", None) == READ_ONLY


def error_of(sentence: str, cause: BaseException) -> StoreError:
    """Return the error of a store that could not be opened, by its cause."""
    return (StoreUnreachedError if is_lost_connection(cause) else StoreError)(sentence)


def driver_error(error: BaseException) -> BaseException:
    """Return what the driver raised; SQLAlchemy's own text has its statement and an address."""
    if isinstance(error, StatementError) and error.orig is not None:
        return error.orig
    return error
