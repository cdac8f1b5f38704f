"""How SQLite's file is opened: its pragmas, locks and versions, and what happens to it."""

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from sqlalchemy import ClauseElement, Connection, Engine, create_engine
from sqlalchemy.dialects import postgresql

from mancala.server.config.settings import IN_MEMORY
from mancala.server.store.database import database, tenure
from mancala.server.store.database.database import Access, connect
from mancala.server.store.database.faults import (
    BrokenStoreError,
    StoreError,
    StoreInUseError,
    StoreMissingError,
)
from mancala.server.store.database.file_watch import FileWatch
from mancala.server.store.database.lock_file import lacks_log


@pytest.fixture(params=["absolute", "relative"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Name a store in a folder that does not exist yet."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path if request.param == "absolute" else Path()
    return str(folder / "deep" / "er" / "store.db")


def pragma(connection: Connection, name: str) -> object:
    return connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()


def test_the_owner_makes_a_private_folder_and_is_alone(place: str) -> None:
    """Another one is refused while it runs, and finds the store after it."""
    with closing(connect(place)):
        assert Path(place).parent.stat().st_mode & 0o777 == 0o700
        with pytest.raises(StoreInUseError):
            connect(place)
    connect(place).close()


def test_stores_in_memory_are_not_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is a store of its own, and leaves no file."""
    monkeypatch.chdir(tmp_path)
    with closing(connect(IN_MEMORY)), closing(connect(IN_MEMORY)):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("access", Access)
def test_every_connection_is_durable_patient_and_consistent(place: str, access: Access) -> None:
    """Only one for reading can't write."""
    connect(place).close()
    with closing(connect(place, access)) as connection:
        found = {
            name: pragma(connection, name)
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
        assert found == {
            "journal_mode": "wal",
            "synchronous": 1,
            "foreign_keys": 1,
            "busy_timeout": 5000,
        }
        assert bool(pragma(connection, "query_only")) is (access is Access.READ)


def test_a_writer_takes_the_lock_when_it_begins_and_a_reader_none(place: str) -> None:
    """A transaction that reads first and writes later could not wait for the lock."""
    with closing(connect(place)) as owner, closing(sqlite3.connect(place, timeout=0)) as other:
        with owner.begin(), pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        with closing(connect(place, Access.READ)) as reader, reader.begin():
            other.execute("BEGIN IMMEDIATE")
            other.rollback()
        with (
            closing(connect(place, Access.BESIDE)) as beside,
            beside.begin(),
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            other.execute("BEGIN IMMEDIATE")


@pytest.mark.parametrize("access", [Access.BESIDE, Access.READ])
def test_others_find_no_store_where_no_server_made_one(place: str, access: Access) -> None:
    """Neither without a file, nor in one without tables; they make nothing."""
    with pytest.raises(StoreMissingError, match="no store at"):
        connect(place, access)
    assert not Path(place).parent.exists()
    Path(place).parent.mkdir(parents=True)
    sqlite3.connect(place).close()
    Path(place).touch()
    with pytest.raises(StoreMissingError, match="no server's store"):
        connect(place, access)


@pytest.mark.parametrize("is_newer", [False, True])
def test_a_file_that_was_replaced_is_noticed(place: str, *, is_newer: bool) -> None:
    """Whichever of the two files has the larger number."""
    path = Path(place)
    path.parent.mkdir(parents=True)
    path.with_name("store.db-wal").touch()
    files = [path.with_name(name) for name in ("one", "two")]
    for file in files:
        file.touch()
    files.sort(key=lambda file: file.stat().st_ino, reverse=not is_newer)
    before, after = files
    os.link(before, path)
    watch = FileWatch(place)
    watch.check()
    watch.check()
    path.unlink()
    with pytest.raises(BrokenStoreError, match="was deleted"):
        watch.check()
    os.link(after, path)
    with pytest.raises(BrokenStoreError, match="was replaced"):
        watch.check()


@pytest.mark.parametrize("place", [IN_MEMORY, "postgresql://club@db/arena?schema=a"])
def test_what_is_no_file_is_never_gone(place: str) -> None:
    """There is nothing to compare."""
    FileWatch(place).check()


def test_a_store_that_is_up_to_date_is_opened_without_alembic(place: str) -> None:
    """Importing it takes longer than opening, and the web's process never migrates."""
    connect(place).close()
    program = (
        "import sys\n"
        "from mancala.server.store.database.database import connect\n"
        "connect(sys.argv[1]).close()\n"
        "print('alembic' in sys.modules)"
    )
    command_line = [sys.executable, "-c", program, place]
    ran = subprocess.run(command_line, capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


class Postgresql:
    """A connection that notes what it is asked."""

    def __init__(self) -> None:
        self.dialect = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy's own
        self.said: list[str] = []

    def exec_driver_sql(self, statement: str) -> None:
        self.said.append(statement)

    def execute(self, statement: ClauseElement) -> None:
        options = {"literal_binds": True}
        self.said.append(str(statement.compile(dialect=self.dialect, compile_kwargs=options)))

    def commit(self) -> None:
        self.said.append("COMMIT")


def test_servers_of_all_versions_ask_for_the_same_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is held as long as the connection, and waited for five seconds."""
    monkeypatch.setattr(sa, "inspect", lambda _: SimpleNamespace(has_schema=lambda _name: False))
    connection = Postgresql()
    tenure.claim(connection, "a", "postgresql://db/arena?schema=a", None)  # type: ignore[arg-type]  # all that is used of it
    assert connection.said == [
        "SET LOCAL lock_timeout = 5000",
        "SELECT pg_advisory_lock(1297043009, hashtext('a')) AS pg_advisory_lock_1",
        "CREATE SCHEMA IF NOT EXISTS a",
        "COMMIT",
    ]


@pytest.mark.parametrize("access", Access)
def test_connections_to_postgresql_notice_the_end_of_the_other_side(
    monkeypatch: pytest.MonkeyPatch, access: Access
) -> None:
    """All see only their schema, and have a name that its administrator knows."""
    found: dict[str, object] = {}
    engine = create_engine("sqlite://")

    def note(url: object, *, connect_args: dict[str, object], **_options: object) -> Engine:
        found.update(connect_args, url=str(url))
        return engine

    monkeypatch.setattr("sqlalchemy.create_engine", note)
    database._open_postgresql("postgresql://club@db/arena?schema=a", access)
    always = {**database.LIVENESS, **database.OF_SESSIONS}
    liveness = "".join(f" -c {name}={value}" for name, value in always.items())
    liveness = liveness.replace("read committed", r"read\ committed")
    patience = f" -c tcp_user_timeout={database.OWNERS_TIMEOUT_MS}"
    own = patience if access is Access.OWN else ""
    assert found == {
        "options": f"-c search_path=a -c application_name=mancala{liveness}{own}",
        "connect_timeout": database.CONNECT_S,
        "client_encoding": database.UNICODE,
        "keepalives_idle": "2",
        "keepalives_interval": "1",
        "keepalives_count": "3",
        "tcp_user_timeout": str(database.TIMEOUT_MS),
        "url": "postgresql+psycopg://club@db/arena",
    }


def test_a_store_that_is_gone_is_not_taken_for_one_that_never_was(tmp_path: Path) -> None:
    """The server does not begin with an empty one until its owner says so."""
    path = tmp_path / "store"
    connect(str(path)).close()
    path.unlink()
    with pytest.raises(StoreError, match="is missing"):
        connect(str(path))
    assert not path.exists()
    Path(f"{path}.lock").unlink()
    connect(str(path)).close()
    connect(str(path)).close()


KILLED = """
import os, signal, sys
from mancala.server.store.database.database import connect
connection = connect(sys.argv[1])
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("access", [Access.READ, Access.BESIDE])
def test_a_log_that_a_reader_took_over_is_not_missed(tmp_path: Path, access: Access) -> None:
    """After a ``kill -9`` the next start read the store first, and then warned of a lost log."""
    path = str(tmp_path / "store")
    subprocess.run([sys.executable, "-c", KILLED, path], check=False)
    assert Path(f"{path}-wal").exists()
    connect(path, access).close()
    assert not Path(f"{path}-wal").exists()
    assert not lacks_log(path)


def test_only_its_owner_may_read_a_store(tmp_path: Path) -> None:
    """It holds addresses and the hashes of tokens; so does its log."""
    path = tmp_path / "store"
    with closing(connect(str(path))):
        files = [path, Path(f"{path}-wal"), Path(f"{path}-shm")]
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_store_that_was_not_closed_and_has_no_log_is_noticed(tmp_path: Path) -> None:
    """Its last commits are gone; one that was closed in good order has none, and lacks nothing."""
    path = tmp_path / "store"
    connection = connect(str(path))
    assert not lacks_log(str(path))
    Path(f"{path}-wal").rename(tmp_path / "away")
    assert lacks_log(str(path))
    (tmp_path / "away").rename(f"{path}-wal")
    connection.close()
    assert not Path(f"{path}-wal").exists()
    assert not lacks_log(str(path))
    assert not lacks_log("postgresql://club@db/arena?schema=a")
