"""Tenures of a schema in PostgreSQL: one at a time, and a writer knows when its own is over."""

import asyncio
import os
import platform
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from mancala.server.store import BrokenStoreError, Store
from mancala.server.store.database import tenure
from mancala.server.store.database.database import LIVENESS, Access, connect, looks
from mancala.server.store.database.faults import (
    StoreError,
    StoreInUseError,
    StoreTakenOverError,
    StoreUnreachedError,
)
from mancala.server.store.database.schema import counters
from mancala.server.store.database.tenure import HELD, TENURE
from mancala.server.store.database.writer import Transaction
from tests.patience import PATIENCE_S
from tests.server.store.databases import execute, fail, rows

ADD = sa.update(counters).where(counters.c.name == "seq").values(value=counters.c.value + 1)
COUNTED = "SELECT value FROM counters WHERE name = 'seq'"
HOLDERS = (
    "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted"
    " AND objid = hashtext(current_schema())::oid"
)
HERE = f"{platform.node()} \\(process {os.getpid()}\\)"


def add(transaction: Transaction) -> None:
    transaction.execute(ADD)


@pytest.fixture
def place(postgresql: str, tmp_path: Path) -> str:
    return f"{postgresql}?schema=mancala_{tmp_path.name}"


def end_sessions(place: str) -> None:
    """End the session of the owner, as PostgreSQL does when it can't be reached any more."""
    [[process]] = rows(place, HOLDERS)
    with psycopg.connect(place.partition("?")[0], autocommit=True) as other:
        other.execute(f"SELECT pg_terminate_backend({process}, 10000)")


def shown(connection: sa.Connection, setting: str) -> str:
    return str(connection.exec_driver_sql(f"SHOW {setting}").scalar_one())


def test_each_claim_begins_a_tenure_with_the_next_number(place: str) -> None:
    """It is noted with its holder."""
    for number in (1, 2):
        with closing(connect(place)) as owner:
            assert owner.info[HELD] == (number, platform.node())
    found = rows(place, "SELECT number, host, process FROM tenure")
    assert found == [(2, platform.node(), os.getpid())]


def test_who_waits_in_vain_hears_who_has_the_store(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator of the second machine has to know where the server runs."""
    monkeypatch.setattr(tenure, "PATIENCE_MS", 10)
    with closing(connect(place)):
        with pytest.raises(StoreInUseError, match=f"in use by another server on {HERE}") as caught:
            connect(place)
        assert caught.value.host == platform.node()
        execute(place, f"DROP TABLE {TENURE.name}")  # as a former version has none
        with pytest.raises(StoreInUseError, match=r"in use by another server$"):
            connect(place)


def test_a_session_ends_soon_after_its_machine_is_gone(place: str) -> None:
    """PostgreSQL asked again after two hours, by the system's own settings."""
    with closing(connect(place)) as owner:
        found = {name: shown(owner, name) for name in LIVENESS}
        assert shown(owner, "tcp_user_timeout") in {"5s", "5000"}
    times = ("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count")
    idle, interval, count = (int(found[name]) for name in times)
    assert idle + interval * count <= 5


def test_only_an_owner_has_to_take_answers_in_soon(place: str) -> None:
    """A PostgreSQL that waits for its disk or a lock counted as dead at a large write."""
    connect(place).close()
    for access in Access:
        with closing(connect(place, access)) as found:
            assert (shown(found, "tcp_user_timeout") == "0") is (access is not Access.OWN)
            driver: Any = found.connection.dbapi_connection
            assert driver.info.get_parameters()["tcp_user_timeout"] == "15000"


def test_who_stands_by_leaves_no_errors_in_the_log_of_postgresql(place: str) -> None:
    """Each look was a lock that was not given in time: 170,000 errors a day."""
    errors: list[object] = []
    note = errors.append
    sa.event.listen(sa.Engine, "handle_error", note)
    try:
        with closing(looks(place)) as asked:
            with closing(connect(place)):
                assert next(asked) is None
                for _ in range(2):
                    assert isinstance(next(asked), StoreInUseError)
            assert list(asked) == []
    finally:
        sa.event.remove(sa.Engine, "handle_error", note)
    assert errors == []


def test_what_a_former_holder_has_begun_is_void_once_another_has_the_store(place: str) -> None:
    """Its session ends before the lock is free."""
    with closing(connect(place)) as former:
        former.execute(ADD)
        end_sessions(place)
        with closing(connect(place)):
            with pytest.raises(DBAPIError):
                former.commit()
            former.invalidate()
        assert rows(place, COUNTED) == [(0,)]


async def test_a_writer_goes_on_in_its_tenure_after_its_connection_was_lost(place: str) -> None:
    """Under the same number, which another claim alone changes."""
    async with asyncio.timeout(PATIENCE_S), Store(place, failed=fail) as store:
        end_sessions(place)
        await store.run(add)
        assert store.tenure == (1, platform.node())
        assert len(rows(place, HOLDERS)) == 1
    assert rows(place, COUNTED) == [(1,)]


async def test_a_writer_waits_for_the_promotion_of_a_replica(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy that led to one before its promotion, which takes nothing in, ended the server."""
    waits: list[float] = []
    with psycopg.connect(
        place.partition("?")[0], autocommit=True, options="-c default_transaction_read_only=off"
    ) as other:

        def wait(seconds: float) -> None:
            waits.append(seconds)
            if len(waits) == 3:
                other.execute("ALTER ROLE mancala RESET ALL")

        async with asyncio.timeout(PATIENCE_S), Store(place, failed=fail) as store:
            monkeypatch.setattr(time, "sleep", wait)
            other.execute("ALTER ROLE mancala SET default_transaction_read_only = on")
            try:
                with pytest.raises(StoreUnreachedError, match="takes nothing in: it is a replica"):
                    connect(place)
                end_sessions(place)
                await store.run(add)
            finally:
                other.execute("ALTER ROLE mancala RESET ALL")
        assert len(waits) == 3
    assert rows(place, COUNTED) == [(1,)]


@pytest.mark.parametrize("access", [Access.OWN, Access.BESIDE, Access.READ])
def test_one_of_several_hosts_has_the_store(place: str, access: Access) -> None:
    """As libpq's URL names them: it was a traceback, and readers found no host that writes."""
    connect(place).close()
    several = f"{place.replace('@', '@127.0.0.1:1,')}&target_session_attrs=read-write"
    with closing(connect(several, access)) as found:
        assert shown(found, "transaction_read_only") == ("on" if access is Access.READ else "off")


@pytest.mark.parametrize("is_gone", [False, True])
async def test_a_writer_whose_store_was_taken_over_writes_nothing_more(
    place: str, *, is_gone: bool
) -> None:
    """Also when the one that took it over has left."""
    failures: list[Exception] = []
    async with asyncio.timeout(PATIENCE_S), Store(place, failed=failures.append) as store:
        end_sessions(place)
        with closing(connect(place)) as other:
            if is_gone:
                other.close()
            for _ in range(2):
                with pytest.raises(BrokenStoreError, match=f"taken over by {HERE} at .*, tenure 2"):
                    await store.run(add)
    assert [type(failure) for failure in failures] == [StoreTakenOverError]
    assert rows(place, COUNTED) == [(0,)]


@pytest.mark.parametrize(
    ("statement", "error", "why"),
    [
        ("DROP TABLE tenure", StoreTakenOverError, "the tenure of this server is gone"),
        ("DELETE FROM tenure", StoreTakenOverError, "the tenure of this server is gone"),
        ("ALTER TABLE tenure RENAME COLUMN since TO other", StoreError, "does not exist"),
    ],
)
def test_a_writer_whose_tenure_is_gone_says_so(
    place: str, statement: str, error: type[Exception], why: str
) -> None:
    """It said that another server had taken it over; one that can't read it tries again."""
    with closing(connect(place)) as owner:
        held = owner.info[HELD]
    execute(place, statement)
    with pytest.raises(error, match=why):
        connect(place, held=held)


async def test_an_idle_writer_notices_that_its_connection_is_lost(place: str) -> None:
    """A server without games left its lock to a server that stood by, after each restart."""
    async with asyncio.timeout(PATIENCE_S), Store(place, failed=fail):
        [before] = rows(place, HOLDERS)
        end_sessions(place)
        while rows(place, HOLDERS) in ([], [before]):  # noqa: ASYNC110  # PostgreSQL calls none back
            await asyncio.sleep(0)


LIMITS = ("statement_timeout", "lock_timeout", "idle_session_timeout")


def test_limits_of_the_role_do_not_end_the_session_of_the_owner(place: str) -> None:
    """One slow statement, or a row that waited for a command, stopped the server."""
    with psycopg.connect(place.partition("?")[0], autocommit=True) as other:
        for name in LIMITS:
            other.execute(f"ALTER ROLE mancala SET {name} = '9s'")
        try:
            with closing(connect(place)) as owner, closing(connect(place, Access.READ)) as reader:
                for connection, found in ((owner, "0"), (reader, "9s")):
                    for name in LIMITS:
                        assert connection.exec_driver_sql(f"SHOW {name}").scalar_one() == found
        finally:
            other.execute("ALTER ROLE mancala RESET ALL")


@pytest.mark.parametrize("access", [Access.OWN, Access.BESIDE, Access.READ])
def test_settings_of_the_role_round_no_fraction_and_fail_no_transaction(
    place: str, access: Access
) -> None:
    """The sum was read as 0.3, and a text as bytes; what else the URL sets holds."""
    connect(place).close()
    with psycopg.connect(place.partition("?")[0], autocommit=True) as other:
        other.execute("ALTER ROLE mancala SET extra_float_digits = -3")
        other.execute("ALTER ROLE mancala SET default_transaction_isolation = serializable")
        other.execute("ALTER ROLE mancala SET client_encoding = sql_ascii")
        try:
            with closing(connect(f"{place}&options=-c%20work_mem%3D5MB", access)) as found:
                asked = "SELECT 0.1::float8 + 0.2::float8, current_setting('work_mem'),"
                asked += " current_setting('transaction_isolation'), 'Şule'"
                wanted = (0.1 + 0.2, "5MB", "read committed", "Şule")
                assert found.exec_driver_sql(asked).one() == wanted
        finally:
            other.execute("ALTER ROLE mancala RESET ALL")


def test_a_role_that_may_make_no_schema_has_one_made_for_it(place: str) -> None:
    """It was refused its own schema, and for a right that is missing it was shown SQL."""
    refused, given = f"{place}_no", f"{place}_given"
    base, _, schema = given.partition("?schema=")
    with psycopg.connect(base, autocommit=True) as other:
        other.execute("CREATE ROLE guest LOGIN")
        other.execute(f"CREATE SCHEMA {schema} AUTHORIZATION guest")
        try:
            with pytest.raises(StoreError, match="_no: permission denied for database"):
                connect(refused.replace("mancala@", "guest@", 1))
            connect(given.replace("mancala@", "guest@", 1)).close()
        finally:
            other.execute("DROP OWNED BY guest")
            other.execute("DROP ROLE guest")


def test_a_tenure_is_no_part_of_what_readers_see(place: str) -> None:
    """A store that is read, or written beside its owner, has none."""
    connect(place).close()
    for access in (Access.READ, Access.BESIDE):
        with closing(connect(place, access)) as beside:
            assert HELD not in beside.info


@pytest.mark.parametrize("by", ["a further claim", "the same number"])
async def test_an_idle_writer_notices_that_its_store_was_taken_over(place: str, by: str) -> None:
    """A PostgreSQL that took over without the last claim counts that number once more."""
    failed: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()
    async with asyncio.timeout(PATIENCE_S), Store(place, failed=failed.set_result):
        if by == "the same number":
            execute(place, "UPDATE tenure SET host = host || '-two'")
        end_sessions(place)
        if by == "a further claim":
            connect(place).close()
        assert isinstance(await failed, StoreTakenOverError)
