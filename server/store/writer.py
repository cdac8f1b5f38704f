"""One thread that owns the database connection, and commits what waits together.

The event loop never waits for the disk: it hands over work and is called back. Whatever has piled
up till then is done in one transaction by the next (group commit), so the more there is to do, the
cheaper each piece gets, and order is kept. When a transaction fails, its pieces are tried one by
one, so that only the guilty one fails.

One group is under way at a time. To wake a thread costs more than to write a row, and a thread
that is woken for each row contends with its caller for the interpreter all the time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, CursorResult, Delete, Dialect, Executable, Insert, Update

from server.store.bulk import insert_together, together

T = TypeVar("T")
Statement = Insert | Update | Delete


class Transaction:
    """A transaction that sends consecutive rows for one statement to the database together.

    What is put gives no result, so it goes straight to the driver, with the text that SQLAlchemy
    made of the statement the first time: to have it prepare each execution anew took four times as
    long as SQLite takes to write a move.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._is_sqlite = connection.dialect.name == "sqlite"
        self._statement: Statement | None = None
        self._rows: list[dict[str, Any]] = []

    def put(self, statement: Statement, row: dict[str, Any]) -> None:
        """Execute the statement with this row, at the latest before the commit.

        Args:
            statement: one of few, each made once and not for the occasion.
            row: all its parameters, plain values as the driver takes them, always in one order.
        """
        if statement is not self._statement:
            self.flush()
            self._statement = statement
        self._rows.append(row)

    def execute(
        self, statement: Executable, row: dict[str, Any] | None = None
    ) -> CursorResult[Any]:
        """Execute the statement now, after all that was put, and give its result."""
        self.flush()
        return self._connection.execute(statement, row)

    def flush(self) -> None:
        """Send what was put; a complaint is the driver's own."""
        statement, rows = self._statement, self._rows
        self._statement, self._rows = None, []
        if isinstance(statement, Insert) and len(rows) > 1 and self._is_sqlite:
            self._send(insert_together(statement.table, tuple(rows[0])), [together(rows)])
        elif statement is not None:
            self._send(statement, rows)

    def _send(self, statement: Statement, rows: list[dict[str, Any]]) -> None:
        sql = _text_of(statement, tuple(rows[0]), self._connection.dialect)
        with closing(self._connection.connection.cursor()) as cursor:
            cursor.executemany(sql, rows)


@lru_cache
def _text_of(statement: Statement, names: tuple[str, ...], dialect: Dialect) -> str:
    columns = names if isinstance(statement, Insert) and statement.select is None else None
    return str(statement.compile(dialect=dialect, column_keys=columns))


@dataclass(slots=True)
class Work(Generic[T]):
    """Something to do in a transaction.

    Attributes:
        act: does it, in the writer's thread; called again if the first transaction failed.
        done: is told the result, once it is durable, in the caller's thread.
        failed: is told the error instead, when it couldn't be done.
    """

    act: Callable[[Transaction], T]
    done: Callable[[T], None]
    failed: Callable[[Exception], None]

    def attempt(self, transaction: Transaction) -> Callable[[], None]:
        """Do it; gives what to call once it is durable."""
        return partial(self.done, self.act(transaction))


def _at_once(call: Callable[[], None]) -> None:
    call()


class Writer:
    """The thread and its queue."""

    def __init__(
        self,
        connect: Callable[[], Connection],
        call_back: Callable[[list[Callable[[], None]]], object],
        later: Callable[[Callable[[], None]], object] = _at_once,
    ) -> None:
        """Prepare the thread; :meth:`start` runs it.

        Args:
            connect: opens the connection, in the writer's thread.
            call_back: has these called, in order, in the caller's thread.
            later: calls this in the caller's thread, once the caller has done what it is at, so
                that all of it is one group.
        """
        self._connect = connect
        self._call_back = call_back
        self._later = later
        self._submitted: list[Work[Any]] = []
        self._is_busy = False
        self._queue: SimpleQueue[list[Work[Any]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="store writer", daemon=True)
        self._opened: Callable[[Exception | None], None] = lambda _error: None

    def start(self, opened: Callable[[Exception | None], None]) -> None:
        """Run the thread; ``opened`` is told None, or why the connection couldn't be opened."""
        self._opened = opened
        self._thread.start()

    def submit(self, work: Work[T]) -> None:
        """Have it done after all that was submitted before."""
        self._submitted.append(work)
        if len(self._submitted) == 1 and not self._is_busy:
            self._later(self._hand_over)

    def stop(self) -> None:
        """Do what was submitted, and end the thread; this waits for it."""
        self._hand_over()
        self._queue.put(None)
        self._thread.join()

    def _hand_over(self) -> None:
        group, self._submitted = self._submitted, []
        self._is_busy = bool(group)
        if group:
            self._queue.put(group)

    def _run(self) -> None:
        try:
            connection = self._connect()
        except Exception as error:  # noqa: BLE001  # told to whoever opened the store
            self._call_back([lambda error=error: self._opened(error)])  # type: ignore[misc]  # bound now
            return
        self._call_back([lambda: self._opened(None)])
        with connection:
            while (group := self._queue.get()) is not None:
                self._call_back([self._hand_over, *_perform(connection, group)])


def _perform(connection: Connection, group: list[Work[Any]]) -> list[Callable[[], None]]:
    try:
        with connection.begin():
            transaction = Transaction(connection)
            calls = [work.attempt(transaction) for work in group]
            transaction.flush()
        return calls  # noqa: TRY300  # only what is committed counts
    except Exception as error:  # noqa: BLE001  # told to whoever submitted it
        if len(group) == 1:
            failed = group[0].failed
            return [lambda error=error: failed(error)]  # type: ignore[misc]  # bound now
    return [call for work in group for call in _perform(connection, [work])]
