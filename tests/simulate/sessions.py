"""A PostgreSQL that knows sessions, for two servers of one store: its tables are a SQLite file.

Which session has the lock, how long one lasts whose machine is cut off, and what became of a
transaction whose answer was lost, is as PostgreSQL has it. All that asks is the product's. The user
of a URL is the number of its machine.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

import psycopg
import sqlalchemy as sa
from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]
from sqlalchemy.exc import OperationalError

from mancala.server.store.database import database
from mancala.server.store.database.database import Access
from mancala.server.store.database.tenure import HELD
from mancala.server.store.database.writer import ABORTED, COMMITTED, LOOK_S, Calls, Work
from tests.simulate.promises import BrokenPromiseError, Promise
from tests.simulate.scenario import Scenario
from tests.simulate.storage import VirtualWriter, WriterTiming
from tests.simulate.trace import Trace

KEEPALIVE_S: Final = 5.0
"""How long PostgreSQL keeps the session of a machine that is silent."""
SESSION: Final = "session"
CASTS: Final = ("::text", "::xid8")
NOT_IN_SQLITE: Final = ("SET LOCAL lock_timeout", "CREATE SCHEMA")


class StoreSession:
    """A session of the database.

    Attributes:
        transaction: the number of its transaction under way.
        is_left: whether the other end has given it up, of which the database may not know yet.
    """

    def __init__(self, machine: str) -> None:
        self.machine = machine
        self.transaction = 0
        self.is_left = False


class SessionDatabase:
    """The database, and who reaches it.

    Attributes:
        cut: the machines that do not reach it.
        unsure: the machine that loses its connection with its next commit, if one does.
    """

    def __init__(
        self, path: Path, trace: Trace, course: Scenario, later: Callable[..., object]
    ) -> None:
        self._path = path
        self._trace = trace
        self._course = course
        self._later = later
        self._numbers = count(1)
        self._committed = set[int]()
        self._sessions: list[StoreSession] = []
        self._holder: StoreSession | None = None
        self._is_away = False
        self.cut = set[str]()
        self.unsure = ""

    def restart(self, seconds: float) -> None:
        """End all sessions, and be away for a time."""
        self._is_away = True
        for each in tuple(self._sessions):
            self._end(each)
        self._later(seconds, partial(setattr, self, "_is_away", False))

    def cut_off(self, machine: str) -> None:
        """Let a machine not reach the database; its sessions end after a time."""
        self.cut.add(machine)
        for each in self._of(machine):
            self._later(KEEPALIVE_S, partial(self._end_if_cut, each))

    def _end_if_cut(self, session: StoreSession) -> None:
        if session.machine in self.cut:
            self._end(session)

    def heal(self, machine: str) -> None:
        """Let it reach the database again, which hears of the connections that were left."""
        self.cut.discard(machine)
        for each in self._of(machine):
            if each.is_left:
                self._end(each)

    def _of(self, machine: str) -> list[StoreSession]:
        return [each for each in self._sessions if each.machine == machine]

    def _end(self, session: StoreSession) -> None:
        if session in self._sessions:
            self._sessions.remove(session)
        if self._holder is session:
            self._holder = None

    # As the product calls it

    def engine(self, place: str, access: Access) -> sa.Engine:
        """Return what connects to a place, as that for PostgreSQL does."""
        machine = str(sa.make_url(place).username)
        engine = database._open_sqlite(str(self._path), access)
        sa.event.listen(engine, "do_connect", partial(self._expect_reached, machine))
        sa.event.listen(engine, "connect", partial(self._open, machine))
        sa.event.listen(engine, "before_cursor_execute", self._execute, retval=True)
        sa.event.listen(engine, "commit", self._commit)
        sa.event.listen(engine, "close", self._close)
        return engine

    def use(self, connection: sa.Connection) -> None:
        """Raise the driver's error where a connection is lost."""
        session: StoreSession = connection.info[SESSION]
        if session not in self._sessions or self._is_away or session.machine in self.cut:
            session.is_left = True
            raise _lost()

    def _expect_reached(self, machine: str, *_: object) -> None:
        if self._is_away or machine in self.cut:
            raise _lost()

    def _open(self, machine: str, driver: Any, record: Any) -> None:  # noqa: ANN401  # of SQLAlchemy
        session = record.info[SESSION] = StoreSession(machine)
        self._sessions.append(session)
        functions: dict[str, tuple[int, Callable[..., object]]] = {
            "hashtext": (1, lambda _text: 1),
            "pg_advisory_lock": (2, lambda *_: self._lock(session)),
            "pg_try_advisory_xact_lock_shared": (2, lambda *_: int(self._holder is None)),
            "pg_current_xact_id_if_assigned": (0, lambda: self._number(session)),
            "pg_xact_status": (1, self._status_of),
            "timezone": (2, lambda _zone, time: time),
            "to_char": (2, lambda time, _form: time),
        }
        for name, (arguments, act) in functions.items():
            driver.create_function(name, arguments, act)

    def _lock(self, session: StoreSession) -> int:
        if self._holder not in {None, session}:
            raise sqlite3.OperationalError("canceling statement due to lock timeout")
        self._holder = session
        return 1

    def _number(self, session: StoreSession) -> str:
        session.transaction = next(self._numbers)
        return str(session.transaction)

    def _status_of(self, number: str) -> str:
        return COMMITTED if int(number) in self._committed else ABORTED

    def _execute(
        self,
        connection: sa.Connection,
        _cursor: object,
        text: str,
        row: Any,  # noqa: ANN401  # of a driver
        *_: object,
    ) -> tuple[str, Any]:
        self.use(connection)
        if text.startswith(NOT_IN_SQLITE):
            return "SELECT 1", ()
        for cast in CASTS:
            text = text.replace(cast, "")
        return text, row

    def _commit(self, connection: sa.Connection) -> None:
        session: StoreSession = connection.info[SESSION]
        if HELD in connection.info:
            if self._holder is not session:
                detail = f"{session.machine} writes without the lock"
                self._course.note(BrokenPromiseError(Promise.FENCED, detail))
            if self.unsure == session.machine:
                self._lose(connection, session)
        self._committed.add(session.transaction)

    def _lose(self, connection: sa.Connection, session: StoreSession) -> None:
        """Lose the connection with a commit: before it has happened, or after."""
        self.unsure = ""
        if self._trace.happens(0.5):
            driver: Any = connection.connection.dbapi_connection
            driver.execute("COMMIT")
            self._committed.add(session.transaction)
        self._end(session)
        raise _lost()

    def _close(self, driver: Any, record: Any) -> None:  # noqa: ANN401  # of SQLAlchemy
        driver.close()
        session: StoreSession = record.info[SESSION]
        session.is_left = True
        if session.machine not in self.cut:
            self._end(session)


def _lost() -> OperationalError:
    return OperationalError("", None, psycopg.OperationalError("server closed the connection"))


class SessionWriter(VirtualWriter):
    """A writer whose connection may be lost: it waits for another one in virtual time."""

    _is_postgresql = True

    def __init__(
        self,
        run: WriterTiming,
        sessions: SessionDatabase,
        *args: Any,  # noqa: ANN401  # as the class is called
        **options: Any,  # noqa: ANN401  # as the class is called
    ) -> None:
        super().__init__(run, *args, **options)
        self._sessions = sessions
        self._working: greenlet | None = None

    def start(self, opened: Callable[[Exception | None], None]) -> None:
        super().start(opened)
        self._server_run.later(LOOK_S, self._look)

    def _look(self) -> None:
        if self._is_closed or self._fault is not None:
            return
        if self._working is None and not self._in_hand:
            self._work(lambda: self._call_back([*self._perform(()), self._hand_over]))
        self._server_run.later(LOOK_S, self._look)

    def _work(self, act: Callable[[], object]) -> None:
        """Act in a greenlet, which may wait for a connection and lets all else go on."""

        def run() -> None:
            act()
            self._working = None

        self._working = greenlet(run)
        self._working.switch()

    def _hand_over(self) -> None:
        if self._working is None and not self._under_way:
            super()._hand_over()

    def _commit(self, group: list[Any]) -> None:
        if not self._is_closed:
            self._work(partial(super()._commit, group))

    def _attempt(self, group: Sequence[Work[Any]]) -> Calls:
        if not self._connection.closed:
            self._sessions.use(self._connection)
        return super()._attempt(group)

    def _pauses(self, delays_s: Sequence[float]) -> Iterator[None]:
        run, here = self._server_run, getcurrent()
        ends_at = run.trace.now() + min(sum(delays_s), self._patience_s)
        for delay_s in delays_s:
            if here.parent is None:  # it is being stopped
                return
            run.later(delay_s, here.switch)
            here.parent.switch()
            if self._is_closed:
                return
            yield
            if run.trace.now() > ends_at:
                return
