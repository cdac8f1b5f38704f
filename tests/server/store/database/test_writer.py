"""The writer's thread: order, groups, and errors that stay with the work that caused them."""

import asyncio
import threading
import time
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any

import psycopg
import pytest
import sqlalchemy.exc
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    Table,
    bindparam,
    create_engine,
    event,
    func,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.pool import NullPool, StaticPool

from mancala.server.store.database import writer
from mancala.server.store.database.async_writer import stop_thread
from mancala.server.store.database.bulk import insert_together
from mancala.server.store.database.faults import BrokenStoreError
from mancala.server.store.database.writer import Transaction, Work, Writer, _text_of
from tests.patience import PATIENCE_S

Outcome = tuple[str, object]

NUMBERS = Table("numbers", MetaData(), Column("n", Integer, primary_key=True))
INSERT = insert(NUMBERS)
COUNT = select(func.count()).select_from(NUMBERS)


class Bench:
    """A writer on a database in memory, and what it calls back with."""

    def __init__(self, make: Callable[..., Writer] = Writer) -> None:
        self.calls: SimpleQueue[list[Callable[[], None]]] = SimpleQueue()
        self.commits: list[str] = []
        self._told: list[Outcome] = []
        self.gate = threading.Event()
        self.lost = False
        self.connects = 0
        self.refusals = 0
        self.writer = make(
            self._connect, self.calls.put, verify=self._verify, broken=self._note_fault
        )
        self.writer.start(lambda error: self._told.append(("opened", error)))

    def _connect(self) -> Connection:
        self.connects += 1
        if self.refusals and self.connects > 1:
            self.refusals -= 1
            raise OSError("no server")
        engine = create_engine("sqlite://", poolclass=StaticPool, paramstyle="named")
        connection = engine.connect()
        NUMBERS.create(connection)
        connection.commit()
        return connection

    def _verify(self) -> None:
        if self.lost:
            raise BrokenStoreError("gone")

    def _note_fault(self, error: Exception) -> None:
        self._told.append(("broken", str(error)))

    def release(self) -> list[Outcome]:
        """Let what is held go on; return what the next group came to."""
        self.gate.set()
        return self.next_group()

    def submit(self, name: str, act: Callable[[Transaction], object]) -> None:
        self.writer.submit(
            Work(
                act,
                lambda result: self._told.append((name, result)),
                lambda error: self._told.append((name, type(error).__name__)),
            )
        )

    def next_group(self) -> list[Outcome]:
        self._told = []
        for call in self.calls.get(timeout=PATIENCE_S):
            call()
        return self._told

    def hold(self) -> None:
        """Keep the writer busy until ``gate`` is set, so that work piles up."""
        started = threading.Event()

        def wait(_transaction: Transaction) -> bool:
            started.set()
            return self.gate.wait(PATIENCE_S)

        self.submit("hold", wait)
        assert started.wait(PATIENCE_S)


def put(number: int) -> Callable[[Transaction], None]:
    return lambda transaction: transaction.put(INSERT, {"n": number})


def count(transaction: Transaction) -> object:
    return transaction.execute(COUNT).scalar_one()


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    assert bench.next_group() == [("opened", None)]
    bench.hold()
    return bench


def test_what_piled_up_is_one_transaction_in_order(bench: Bench) -> None:
    """A later piece sees what an earlier one put."""
    for number in range(3):
        bench.submit(f"put {number}", put(number))
    bench.submit("count", count)
    assert bench.release() == [("hold", True)]
    assert bench.next_group() == [("put 0", None), ("put 1", None), ("put 2", None), ("count", 3)]
    bench.writer.stop()


def test_what_is_fetched_holds_what_was_put_before(bench: Bench) -> None:
    """The driver's own rows come from the same transaction."""
    bench.submit("put", put(7))
    bench.submit("fetch", lambda transaction: transaction.fetch(select(NUMBERS.c.n), {}))
    bench.release()
    assert bench.next_group() == [("put", None), ("fetch", [(7,)])]
    bench.writer.stop()


def test_a_group_waits_until_the_caller_knows_of_the_one_before(bench: Bench) -> None:
    """The thread is woken once for all that piled up, however fast it is."""
    bench.submit("one", put(1))
    bench.gate.set()
    calls = bench.calls.get(timeout=PATIENCE_S)
    bench.submit("two", put(2))
    for call in calls:
        call()
    assert bench.next_group() == [("one", None), ("two", None)]
    bench.writer.stop()


@pytest.mark.parametrize(
    ("dialect", "rows", "statements"),
    [("sqlite", 1, 1), ("sqlite", 2, 1), ("sqlite", 3, 1), ("postgresql", 2, 2)],
)
def test_rows_for_one_table_are_one_statement_of_sqlite(
    dialect: str, rows: int, statements: int
) -> None:
    """A single row is a plain one; other databases take many rows by themselves."""
    engine = create_engine("sqlite://", poolclass=StaticPool, paramstyle="named")
    said: list[str] = []
    with engine.connect() as connection:
        NUMBERS.create(connection)
        driver: Any = connection.connection.dbapi_connection
        connection.dialect.name = dialect
        transaction = Transaction(connection)
        for number in range(rows):
            transaction.put(INSERT, {"n": number})
        driver.set_trace_callback(said.append)
        transaction.flush()
        driver.set_trace_callback(None)
        inserts = [text for text in said if text.startswith("INSERT")]
        assert len(inserts) == statements
        assert ["json_each" in text for text in inserts] == [rows > statements] * statements
        later = update(NUMBERS).where(NUMBERS.c.n == bindparam("key")).values(n=bindparam("new"))
        for number in range(rows):
            transaction.put(later, {"key": number, "new": 10 + number})
        transaction.flush()
        found = transaction.execute(select(NUMBERS.c.n)).scalars()
        assert sorted(found) == [10 + number for number in range(rows)]


def test_a_statement_is_compiled_once() -> None:
    """Preparing each execution would take longer than SQLite takes to write a row.

    A store that is opened again, or another one of its kind, prepares nothing anew.
    """
    one, other = (create_engine("sqlite://", poolclass=StaticPool).dialect for _ in range(2))
    assert _text_of(INSERT, ("n",), one) is _text_of(INSERT, ("n",), other)
    assert insert_together(NUMBERS, ("n",)) is insert_together(NUMBERS, ("n",))


def test_what_is_not_put_keeps_the_databases_default() -> None:
    """Of the columns, only those of the rows are named."""
    table = Table("t", MetaData(), Column("n", Integer), Column("m", Integer, default=5))
    assert str(insert_together(table, ("n",))).startswith("INSERT INTO t (n) SELECT")


class IdleWriter:
    """A writer that has nothing to do."""

    def stop(self) -> None:
        """End."""


async def test_stopping_waits_for_no_more_than_the_last_callbacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One turn of the loop."""
    waits: list[float] = []

    async def sleep(delay_s: float) -> None:
        waits.append(delay_s)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    await stop_thread(IdleWriter())  # type: ignore[arg-type]  # all that is used of it
    assert waits == [0]


def test_a_piece_of_work_holds_nothing_else() -> None:
    """One is made for each commit."""
    with pytest.raises(AttributeError):
        Work(count, print, print).more = 1  # type: ignore[attr-defined]  # that is what is tried


def test_only_the_guilty_piece_of_two_fails(bench: Bench) -> None:
    """The other is done."""
    bench.submit("one", put(1))
    bench.submit("again", put(1))
    bench.release()
    assert bench.next_group() == [("one", None), ("again", "IntegrityError")]
    bench.writer.stop()


def test_only_the_guilty_piece_fails(bench: Bench) -> None:
    """The others of its group are done all the same."""
    for name, number in (("one", 1), ("again", 1), ("two", 2)):
        bench.submit(name, put(number))
    bench.release()
    assert bench.next_group() == [("one", None), ("again", "IntegrityError"), ("two", None)]
    bench.submit("count", count)
    assert bench.next_group() == [("count", 2)]
    bench.writer.stop()


class DatabaseError(Exception):
    """The class of PEP 249."""


class OperationalError(DatabaseError):
    """The class of PEP 249."""


def test_a_broken_store_fails_all_that_is_submitted(bench: Bench) -> None:
    """Also what comes later, so that nothing becomes durable after something was lost."""

    def fill(_transaction: Transaction) -> None:
        raise sqlalchemy.exc.OperationalError("INSERT", {}, OperationalError("disk full"))

    bench.submit("one", put(1))
    bench.submit("full", fill)
    bench.submit("two", put(2))
    bench.release()
    assert bench.next_group() == [
        ("one", None),
        ("broken", "OperationalError: disk full"),
        ("full", "BrokenStoreError"),
        ("two", "BrokenStoreError"),
    ]
    bench.submit("three", put(3))
    assert bench.next_group() == [("three", "BrokenStoreError")]
    bench.writer.stop()


def losing(times: int) -> Callable[[Transaction], int]:
    """Make work that finds the connection lost, and then does what it should."""
    attempts: list[int] = []

    def act(transaction: Transaction) -> int:
        attempts.append(1)
        if len(attempts) <= times:
            raise psycopg.OperationalError("the connection is closed")
        transaction.put(INSERT, {"n": len(attempts)})
        return len(attempts)

    return act


def test_a_lost_connection_is_replaced_and_the_work_done_again(bench: Bench) -> None:
    """Also what else was in its group; the new connection is tried immediately."""
    bench.submit("one", put(9))
    bench.submit("lost", losing(1))
    bench.release()
    assert bench.next_group() == [("one", None), ("lost", 2)]
    assert bench.connects == 2
    bench.submit("count", count)
    assert bench.next_group() == [("count", 2)]
    bench.writer.stop()


@pytest.mark.parametrize(("refusals", "is_broken"), [(62, False), (63, True)])
def test_a_server_has_a_minute_to_come_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, refusals: int, *, is_broken: bool
) -> None:
    """As a restart or a fail-over takes, tried once a second; then the store is broken."""
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    monkeypatch.setattr(time, "monotonic", lambda: sum(waits))
    bench.refusals = refusals
    bench.submit("lost", losing(1))
    bench.release()
    assert bench.next_group() == (
        [("broken", "OperationalError: the connection is closed"), ("lost", "BrokenStoreError")]
        if is_broken
        else [("lost", 2)]
    )
    assert waits[:5] == [0.0, 0.2, 0.5, 1.0, 1.0]
    assert 60 < sum(waits) < 61
    bench.writer.stop()


def test_a_commit_that_failed_is_not_tried_again(bench: Bench) -> None:
    """Whether it has happened is not known, so the store counts as broken."""
    attempts: list[int] = []

    def refuse(_connection: Connection) -> None:
        raise OSError("no answer")

    def act(transaction: Transaction) -> None:
        attempts.append(1)
        event.listen(transaction._connection.engine, "commit", refuse)

    bench.submit("one", act)
    bench.release()
    assert bench.next_group() == [("broken", "OSError: no answer"), ("one", "BrokenStoreError")]
    assert len(attempts) == 1
    bench.writer.stop()


@pytest.mark.parametrize("has_happened", [False, True])
def test_a_commit_whose_answer_was_lost_happens_once(
    postgresql: str, *, has_happened: bool
) -> None:
    """PostgreSQL says whether it has; a restart in the middle ended the server once."""
    engine, told = engine_of(postgresql), list[object]()
    NUMBERS.create(engine)
    lose_first_commit(engine, has_happened=has_happened)
    act_on(engine, told, put(1), count, broken=told.append)
    NUMBERS.drop(engine)
    assert told == [None, None, 1]


@pytest.mark.parametrize("is_reader", [True, False])
def test_a_question_at_whose_end_the_connection_was_lost_is_asked_again(
    postgresql: str, *, is_reader: bool
) -> None:
    """It once ended the server, and a page's reader refused all questions that followed."""
    engine, told = engine_of(postgresql), list[object]()

    def ask(transaction: Transaction) -> object:
        return transaction.execute(text("SELECT 7")).scalar_one()

    lose_first_commit(engine, has_happened=False)
    act_on(engine, told, ask, ask, broken=None if is_reader else told.append)
    assert told == [None, 7, 7]


def engine_of(postgresql: str) -> Engine:
    return create_engine(postgresql.replace(":", "+psycopg:", 1), poolclass=NullPool)


def lose_first_commit(engine: Engine, *, has_happened: bool) -> None:
    """Lose the connection in the next commit."""
    lost: list[int] = []

    @event.listens_for(engine, "commit")
    def lose(connection: Connection) -> None:
        if lost:
            return
        lost.append(1)
        driver: Any = connection.connection.dbapi_connection
        if has_happened:
            driver.commit()
        driver.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")


def act_on(
    engine: Engine,
    told: list[object],
    *acts: Callable[[Transaction], object],
    broken: Callable[[Exception], None] | None,
) -> None:
    """Do work in a writer of its own, and note what it calls back with."""
    calls: SimpleQueue[list[Callable[[], None]]] = SimpleQueue()
    writer = Writer(engine.connect, calls.put, broken=broken)
    writer.start(told.append)
    for act in acts:
        writer.submit(Work(act, told.append, told.append))
    for _ in range(len(acts) + 1):
        for call in calls.get(timeout=PATIENCE_S):
            call()
    writer.stop()


def test_a_reader_that_lost_its_store_says_so_soon_and_comes_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It tries for less than two seconds, and again at the next question."""
    waits, told = list[float](), list[object]()
    monkeypatch.setattr(time, "sleep", waits.append)
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)
    calls: SimpleQueue[list[Callable[[], None]]] = SimpleQueue()
    reader = Writer(bench._connect, calls.put)
    reader.start(told.append)
    for act in (None, losing(1), count):
        if act is not None:
            reader.submit(Work(act, told.append, lambda error: told.append(str(error))))
        for call in calls.get(timeout=PATIENCE_S):
            call()
        bench.refusals = bench.refusals or 5 * (act is None)
    assert told == [None, "the connection is closed", 0]
    assert waits == [0.0, 0.2, 0.5, 1.0, 0.0, 0.2]
    reader.stop()
    bench.gate.set()
    bench.writer.stop()


@pytest.mark.parametrize(("make", "most"), [(Writer, 8), (partial(Writer, patience_s=15.0), 3)])
def test_a_server_that_does_not_answer_is_tried_for_no_longer(
    make: Callable[..., Writer], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An attempt may take ten seconds; 63 of them took eleven minutes.

    Where another server waits for the store, bots should get there while it keeps their seats.
    """
    bench = Bench(make)
    bench.next_group()
    bench.hold()
    passed = iter(range(0, 1000, 10))
    monkeypatch.setattr(time, "sleep", lambda _s: None)
    monkeypatch.setattr(time, "monotonic", lambda: next(passed))
    bench.refusals = 1000
    bench.submit("lost", losing(1))
    bench.release()
    assert ("lost", "BrokenStoreError") in bench.next_group()
    assert bench.connects <= most
    bench.writer.stop()


def test_a_reader_goes_on_after_an_error_of_the_store(bench: Bench) -> None:
    """It writes nothing, so nothing can be lost."""
    calls: SimpleQueue[list[Callable[[], None]]] = SimpleQueue()
    told: list[object] = []

    def turn() -> None:
        for call in calls.get(timeout=PATIENCE_S):
            call()

    def fail(_transaction: Transaction) -> None:
        raise OperationalError("disk full")

    reader = Writer(bench._connect, calls.put)
    reader.start(told.append)
    turn()
    for act in (fail, count):
        reader.submit(Work(act, told.append, lambda error: told.append(str(error))))
        turn()
    assert told == [None, "disk full", 0]
    reader.stop()
    bench.gate.set()
    bench.writer.stop()


def test_a_thread_that_hangs_keeps_no_process_from_exiting(bench: Bench) -> None:
    """A disk may never answer."""
    assert bench.writer._thread.daemon
    bench.gate.set()
    bench.writer.stop()


def test_stopping_waits_for_no_postgresql_that_is_frozen(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGTERM ended no server whose database answered nothing; what is left is counted."""
    bench.submit("one", put(1))
    with monkeypatch.context() as patch:
        patch.setattr(writer, "LEAVE_S", 0.0)
        patch.setattr(bench.writer, "_is_postgresql", True)
        assert bench.writer.stop() == 2
    assert bench.release() == [("hold", True)]
    assert bench.next_group() == [("one", None)]


def test_nothing_is_announced_when_the_store_is_not_where_it_was(bench: Bench) -> None:
    """The check comes after the commit and before the callbacks."""
    bench.lost = True
    assert bench.release() == [
        ("broken", "BrokenStoreError: gone"),
        ("hold", "BrokenStoreError"),
    ]
    bench.writer.stop()


def test_stopping_does_first_what_was_submitted(bench: Bench) -> None:
    """Nothing handed in is lost."""
    bench.submit("one", put(1))
    bench.gate.set()
    assert bench.writer.stop() == 0
    assert bench.next_group() == [("hold", True)]
    assert bench.next_group() == [("one", None)]


def test_a_connection_that_can_not_be_opened_is_told() -> None:
    """And the thread ends."""
    told: SimpleQueue[Exception | None] = SimpleQueue()

    def fail() -> Connection:
        raise OSError("no disk")

    writer = Writer(fail, lambda calls: [call() for call in calls])
    writer.start(told.put)
    assert isinstance(told.get(timeout=PATIENCE_S), OSError)
    writer.stop()


def test_what_is_submitted_before_later_comes_is_handed_over_together(bench: Bench) -> None:
    """One turn of the caller's loop is one transaction, and the thread is woken once for it."""
    turns: list[Callable[[], None]] = []
    writer = Writer(bench._connect, bench.calls.put, turns.append)
    writer.start(lambda _error: None)
    bench.next_group()
    for number in range(3):
        writer.submit(Work(put(number), lambda _: None, lambda _: None))
    assert len(turns) == 1
    assert bench.calls.empty()
    turns.pop()()
    bench.next_group()
    writer.stop()
    assert bench.calls.empty()
    bench.gate.set()
    bench.writer.stop()
