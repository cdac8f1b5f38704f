"""One thread that owns the database connection and commits work in groups.

The event loop never waits for the disk: it submits work and is called back. All work submitted
during one transaction is done in the next (group commit), so each piece becomes cheaper under load,
and order is kept. When a transaction fails, its pieces are retried one by one, so that only the
faulty one fails.

A store that is broken (``faults.py``) is another matter: the writer then fails all work, also what
is submitted later, since nothing may become durable after something before it was lost. A lost
connection to PostgreSQL is replaced for as long as a restart or a fail-over takes. If it was lost
while a commit was under way, PostgreSQL is asked whether that has happened (``pg_xact_status``);
where it can't tell, only a restart, which reads the journal, can. An idle writer looks each second
whether its connection is there, or it would leave the store to a server that stands by. A store
that another server has taken over (``tenure.py``) counts as broken.

One group is processed at a time. Waking a thread costs more than writing a row, and a thread that
is woken for each row contends with its caller for the GIL.
"""

import threading  # noqa: TID251  # the way to the thread, handed in by System
import time  # noqa: TID251  # waits in that thread
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial
from queue import Empty, SimpleQueue  # noqa: TID251  # leads to that thread
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import Connection, CursorResult, Delete, Dialect, Executable, Insert, Select, Update
from sqlalchemy.exc import DBAPIError

from .bulk import insert_together, together
from .faults import (
    BrokenStoreError,
    StoreTakenOverError,
    driver_error,
    is_locked,
    is_lost_connection,
    is_of_the_work,
    takes_nothing,
)
from .lock_holders import holders

T = TypeVar("T")
Statement = Insert | Update | Delete
Calls = list[Callable[[], None]]

PIECE: Final = 5000
"""Rows that are read together of a table of any size."""
LOCKED_TRIES: Final = 12
"""How often work is tried again that another program locks out; SQLite waits 5 s each time."""
RECONNECT_S: Final = (0.0, 0.2, 0.5, *(1.0,) * 60)
"""Delays before the attempts to replace a lost connection, in seconds. They end after that time,
also where each attempt takes long because no answer comes."""
READER_RECONNECT_S: Final = RECONNECT_S[:4]
"""Those of a reader, which can be asked again."""
LOOK_S: Final = 1.0
"""How long an idle writer takes PostgreSQL's connection to be there."""
LEAVE_S: Final = 15.0
"""How long a server that stops waits for PostgreSQL to take the rest, in seconds. One that is
frozen never does, one that restarts may take longer; what it did not take was not announced."""
TRANSACTION: Final = "SELECT pg_current_xact_id_if_assigned()::text"
STATUS: Final = "SELECT pg_xact_status('{}'::xid8)"
COMMITTED: Final = "committed"
ABORTED: Final = "aborted"
_FIRST: Final[dict[tuple[type[Dialect], str], Dialect]] = {}
"""The first dialect of each kind, for which statements are compiled: once for all its stores."""


class Transaction:
    """A transaction that sends consecutive rows for one statement to the database together.

    A statement that is put has no result, so it goes directly to the driver, as the text that
    SQLAlchemy compiled once. Preparing each execution in SQLAlchemy took four times as long as
    SQLite takes to write a move.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._is_sqlite = connection.dialect.name == "sqlite"
        self._statement: Statement | None = None
        self._rows: list[dict[str, Any]] = []

    def put(self, statement: Statement, row: dict[str, Any]) -> None:
        """Execute the statement with this row, before the commit at the latest.

        Args:
            statement: a module constant, so that its compiled text is cached.
            row: all parameters, as values the driver accepts, always in the same order.
        """
        if statement is not self._statement:
            if self._rows:
                self.flush()
            self._statement = statement
        self._rows.append(row)

    def execute(
        self, statement: Executable, row: dict[str, Any] | None = None
    ) -> CursorResult[Any]:
        """Execute the statement now, after all rows put before, and return its result."""
        self.flush()
        return self._connection.execute(statement, row)

    @property
    def connection(self) -> Connection:
        """The connection, for what no table has; all rows put before are sent."""
        self.flush()
        return self._connection

    def fetch(self, statement: Statement | Select[Any], row: dict[str, Any]) -> list[Any]:
        """Return the driver's rows of a statement, executed after all rows put before."""
        self.flush()
        with closing(self._connection.connection.cursor()) as cursor:
            cursor.execute(_text_of(statement, tuple(row), self._connection.dialect), row)
            return list(cursor.fetchall())

    def fetch_pieces(self, statement: Select[Any]) -> Iterator[list[Any]]:
        """Yield the driver's rows of a statement without parameters, as :meth:`fetch`, in pieces.

        What reads a whole table and keeps little of each row need not hold all of them.
        """
        self.flush()
        with closing(self._connection.connection.cursor()) as cursor:
            cursor.execute(_text_of(statement, (), self._connection.dialect))
            while rows := cursor.fetchmany(PIECE):
                yield list(rows)

    def flush(self) -> None:
        """Send the rows put so far; raises the driver's own errors."""
        statement, rows = self._statement, self._rows
        self._statement, self._rows = None, []
        if statement is None:
            return
        if type(statement) is Insert and len(rows) > 1 and self._is_sqlite:  # no upsert
            statement, rows = insert_together(statement.table, tuple(rows[0])), [together(rows)]
        sql = _text_of(statement, tuple(rows[0]), self._connection.dialect)
        driver: Any = self._connection.connection.dbapi_connection
        driver.cursor().executemany(sql, rows)


def _text_of(statement: Statement | Select[Any], names: tuple[str, ...], dialect: Dialect) -> str:
    kind = type(dialect), dialect.paramstyle
    return _compiled(statement, names, _FIRST.setdefault(kind, dialect))


@lru_cache
def _compiled(statement: Statement | Select[Any], names: tuple[str, ...], dialect: Dialect) -> str:
    columns = names if isinstance(statement, Insert) and statement.select is None else None
    return str(statement.compile(dialect=dialect, column_keys=columns))


@dataclass(slots=True)
class Work(Generic[T]):
    """A unit of work in a transaction.

    Attributes:
        act: does the work, in the writer's thread; called again if the first transaction failed.
        done: called with the result once it is committed, in the caller's thread.
        failed: called with the error instead, when the work failed; with `BrokenStoreError` when
            the store did.
    """

    act: Callable[[Transaction], T]
    done: Callable[[T], None]
    failed: Callable[[Exception], None]

    def attempt(self, transaction: Transaction) -> Callable[[], None]:
        """Run the work; return the callback to call once it is committed."""
        return partial(self.done, self.act(transaction))


def _unwatched() -> None:
    """Take the store to be where it was."""


class _CommitError(Exception):
    """A commit failed; whether it has happened is not known.

    Attributes:
        cause: the driver's error.
        transaction: PostgreSQL's id of it; None for one that wrote nothing.
        calls: what is to be called if it has happened.
    """

    def __init__(self, cause: Exception, transaction: str | None, calls: Calls) -> None:
        self.cause = cause
        self.transaction = transaction
        self.calls = calls
        super().__init__(str(cause))


class Writer:
    """The thread and its queue."""

    _lost: Exception
    """Why the connection was last replaced."""
    _is_postgresql = False
    """As far as is known; no connection is there at first."""

    def __init__(
        self,
        connect: Callable[[], Connection],
        call_back: Callable[[list[Callable[[], None]]], object],
        later: Callable[[Callable[[], None]], object] = lambda call: call(),
        *,
        verify: Callable[[], None] = _unwatched,
        broken: Callable[[Exception], None] | None = None,
        patience_s: float = float("inf"),
    ) -> None:
        """Prepare the thread; :meth:`start` runs it.

        Args:
            connect: opens the connection, in the writer's thread.
            call_back: runs callbacks, in order, in the caller's thread.
            later: runs a callback in the caller's thread after its current work, so that all work
                submitted meanwhile is one group.
            verify: called in the thread after each commit, before anything is announced; raises
                `BrokenStoreError` when the store is no longer where it was.
            broken: called with the error, once, when the store is broken; no work is done after.
                Without it, as for reading, later work is tried again.
            patience_s: after this time a lost connection is given up, if not for another reason.
        """
        self._patience_s = patience_s
        self._connect = connect
        self._verify = verify
        self._broken = broken
        self._fault: Exception | None = None
        self._call_back = call_back
        self._later = later
        self._submitted: list[Work[Any]] = []
        self._locked_out = 0
        self._in_hand = 0
        self._queue: SimpleQueue[list[Work[Any]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="store writer", daemon=True)
        self._opened: Callable[[Exception | None], None] = lambda _error: None

    @property
    def depth(self) -> int:
        """How much work is not done yet."""
        return len(self._submitted) + self._in_hand

    def start(self, opened: Callable[[Exception | None], None]) -> None:
        """Run the thread; call ``opened`` with None, or with the error of the connection."""
        self._opened = opened
        self._thread.start()

    def submit(self, work: Work[T]) -> None:
        """Queue work after all that was submitted before."""
        self._submitted.append(work)
        if len(self._submitted) == 1 and not self._in_hand:
            self._later(self._hand_over)

    def stop(self) -> int:
        """Finish all submitted work and join the thread; for `LEAVE_S` where that is PostgreSQL's.

        Returns how much was to be done, if that was not enough, and 0 else: of that, at most one
        group may be written, and nothing is announced.
        """
        depth = self.depth
        self._hand_over()
        self._queue.put(None)
        self._thread.join(LEAVE_S if self._is_postgresql else None)
        return depth if self._thread.is_alive() else 0

    def _hand_over(self) -> None:
        group, self._submitted = self._submitted, []
        self._in_hand = len(group)
        if group:
            self._queue.put(group)

    def _run(self) -> None:
        try:
            self._connection = self._connect()
        except Exception as error:  # noqa: BLE001  # passed to ``opened``
            self._call_back([lambda error=error: self._opened(error)])  # type: ignore[misc]  # bound now
            return
        self._is_postgresql = self._connection.dialect.name == "postgresql"
        self._call_back([lambda: self._opened(None)])
        while (group := self._next()) is not None:
            self._call_back([self._hand_over, *self._perform(group)])
        self._connection.close()

    def _next(self) -> list[Work[Any]] | None:
        """Return the next group, looking meanwhile whether the connection is there."""
        while self._is_postgresql and self._broken is not None and self._fault is None:
            try:
                return self._queue.get(timeout=LOOK_S)
            except Empty:
                if calls := self._perform(()):
                    self._call_back(calls)
        return self._queue.get()

    def _perform(self, group: Sequence[Work[Any]]) -> Calls:
        if self._fault is not None:
            return _failed(group, self._fault)
        try:
            calls = self._attempt(group)
        except _CommitError as error:
            return self._settle(group, error)
        except Exception as error:  # noqa: BLE001  # passed to ``failed``
            return self._recover(group, error)
        try:
            self._verify()
        except BrokenStoreError as error:
            return self._give_up(group, error)
        self._locked_out = 0
        return calls

    def _attempt(self, group: Sequence[Work[Any]]) -> Calls:
        begun, number = self._connection.begin(), None
        try:
            transaction = Transaction(self._connection)
            calls = [work.attempt(transaction) for work in group]
            transaction.flush()
            if self._broken is not None and self._is_postgresql:
                number = self._connection.exec_driver_sql(TRANSACTION).scalar_one()
        except BaseException:
            begun.rollback()
            raise
        try:
            begun.commit()
        except Exception as error:
            raise _CommitError(error, number, calls) from error
        return calls

    def _settle(self, group: Sequence[Work[Any]], error: _CommitError) -> Calls:
        """Find out whether a commit has happened whose answer was lost; else commit again."""
        if not (self._is_postgresql and is_lost_connection(error.cause)):
            return self._give_up(group, error.cause)
        if fault := self._reconnect(error.cause):
            return self._give_up(group, fault)
        if error.transaction is None:
            return self._perform(group)
        try:
            status = self._connection.exec_driver_sql(STATUS.format(error.transaction)).scalar_one()
            self._connection.rollback()
        except DBAPIError:
            return self._give_up(group, error.cause)
        if status == ABORTED:
            return self._perform(group)
        return error.calls if status == COMMITTED else self._give_up(group, error.cause)

    def _recover(self, group: Sequence[Work[Any]], error: Exception) -> Calls:
        if self._connection.closed:  # a reader's, which was not replaced
            error = self._lost
        is_misled = self._broken is not None and takes_nothing(error)  # a reader writes nothing
        if is_lost_connection(error) or is_misled:
            fault = self._reconnect(error)
            return self._perform(group) if fault is None else self._give_up(group, fault)
        if is_locked(error):
            return self._outwait(group, error)
        if len(group) > 1:
            return [call for work in group for call in self._perform([work])]
        if is_of_the_work(error):
            return _failed(group, error)
        return self._give_up(group, error)

    def _outwait(self, group: Sequence[Work[Any]], error: Exception) -> Calls:
        """Try again while another program has the store locked; after a minute say which one."""
        self._locked_out += 1
        if self._locked_out <= LOCKED_TRIES:
            return self._perform(group)
        path = self._connection.engine.url.database or ""
        who = ", ".join(holders(path)) or "another program"
        locked = BrokenStoreError(f"{path} was locked for too long by {who}")
        locked.__cause__ = error
        return self._give_up(group, locked)

    def _reconnect(self, cause: Exception) -> Exception | None:
        """Replace the connection; return the error for which that is given up, if it is."""
        self._lost = cause
        if not self._connection.closed:
            self._connection.invalidate()
            self._connection.close()
        delays_s = READER_RECONNECT_S if self._broken is None else RECONNECT_S
        for _ in self._pauses(delays_s):
            try:
                self._connection = self._connect()
            except StoreTakenOverError as error:
                return error
            except Exception:  # noqa: BLE001, S112  # tried again; in the end the first error is raised
                continue
            return None
        return cause

    def _pauses(self, delays_s: Sequence[float]) -> Iterator[None]:
        ends_at = time.monotonic() + min(sum(delays_s), self._patience_s)
        for delay_s in delays_s:
            time.sleep(delay_s)
            yield
            if time.monotonic() > ends_at:
                return

    def _give_up(self, group: Sequence[Work[Any]], cause: Exception) -> Calls:
        if self._broken is None:
            return _failed(group, cause)
        fault = cause
        if not isinstance(cause, StoreTakenOverError):
            fault = BrokenStoreError(f"{type(cause).__name__}: {driver_error(cause)}")
            fault.__cause__ = cause
        self._fault = fault
        return [partial(self._broken, fault), *_failed(group, fault)]


def _failed(group: Sequence[Work[Any]], error: Exception) -> Calls:
    return [partial(work.failed, error) for work in group]
