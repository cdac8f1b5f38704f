"""Open the database that one server owns: a SQLite file, or a schema in PostgreSQL.

Both are named by one text: a path, or ``postgresql://user@host/database?schema=club``. Servers that
share a PostgreSQL database have a schema each, with their own names and numbers.

The owner of the database may change its tables, and there is one owner at a time: a lock on a file
beside SQLite's, which ends with the process, a numbered tenure in PostgreSQL (``tenure.py``). A
pooler in session mode may stand before PostgreSQL: the settings that it drops are set again. One in
transaction mode is refused, since the lock would stay with the pool. Other processes read, or write
short transactions beside the owner. So writers take SQLite's lock with ``BEGIN IMMEDIATE``: a
transaction that reads first and writes later can't wait for the lock, it fails when another one
wrote in between.

SQLite runs with a write-ahead log and ``synchronous=NORMAL``: a commit survives the death of the
server at any instant; a power cut may cost the last commits, never the file. PostgreSQL waits for
its disk unless its administrator configured otherwise. SQLite transactions are begun here and not
by the driver, so that a migration is atomic.
"""

import os  # noqa: TID251  # the way to the store's files
import re
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from enum import Enum, auto
from functools import partial
from pathlib import Path  # noqa: TID251  # the way to the store's files
from typing import Any, Final
from urllib.parse import unquote

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import NullPool

from ...config.settings import IN_MEMORY, POSTGRESQL, state_directory
from ...model.system_users import name_of_user
from ...model.tenure import Tenure
from . import lock_file, tenure, versions
from .faults import (
    TAKES_NOTHING,
    StoreError,
    StoreInUseError,
    StoreMissingError,
    StoreUnreachedError,
    error_of,
)
from .schema import copied

MALFORMED: Final = "the store's URL is malformed"
PORT: Final = re.compile(r":([0-9]*)$")
HOST: Final = r"(?:\[[^]]*\]|[^][,:/?@]*)(?::[0-9]*)?"
SEVERAL: Final = re.compile(
    r"(?P<before>\w+(?:\+\w+)?://(?:[^/?]*@)?)(?=[^/?@]*(?:,|%2[Ff]))"
    rf"(?P<hosts>{HOST}(?:,{HOST})*)(?P<after>(?:/[^?@]*)?(?:\?.*)?)"
)
"""A URL with several hosts, of a database and its replicas, or with the folder of a socket."""
SCHEMA: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")
CONNECT_S: Final = 10
LIVENESS: Final = {
    "tcp_keepalives_idle": "2",
    "tcp_keepalives_interval": "1",
    "tcp_keepalives_count": "3",
}
"""Both ends give up an idle connection within five seconds of the end of the other, or of the way
there; libpq, at this one, has shorter names for it."""
OF_SESSIONS: Final = {"extra_float_digits": "1", "default_transaction_isolation": "read committed"}
"""What a role or a database may have set otherwise: fractions that come back rounded, and
transactions that fail since others run beside them."""
OWNERS_TIMEOUT_MS: Final = 5000
"""For how long PostgreSQL keeps the session of an owner that takes in none of an answer."""
TIMEOUT_MS: Final = 15_000
"""The same at this end. It also ends a connection to a PostgreSQL that lives and takes in nothing
of a large write, since it has to wait for its disk or a lock."""
NO_LIMITS: Final = (
    "SELECT count(set_config(name, '0', false)) FROM pg_settings WHERE vartype = 'integer'"
    " AND name IN ('statement_timeout', 'lock_timeout', 'transaction_timeout',"
    " 'idle_session_timeout', 'idle_in_transaction_session_timeout')"
)
"""A role or a database may have such limits, which would end the owner, too."""
UNICODE: Final = "UTF8"
"""The only encoding of PostgreSQL that has every letter."""
PROCESS: Final = "SELECT pg_backend_pid()"
BUSY_MS: Final = 5000
OF_THE_FILE: Final = (
    "PRAGMA auto_vacuum=INCREMENTAL",  # of a new file, or at the next VACUUM
    "PRAGMA journal_mode=WAL",
)
PRAGMAS: Final = (
    "PRAGMA synchronous=NORMAL",
    "PRAGMA foreign_keys=ON",
    f"PRAGMA busy_timeout={BUSY_MS}",
)


class Access(Enum):
    OWN = auto()
    """To own the database, migrate its tables, and write."""
    BESIDE = auto()
    """To write short transactions beside the owner."""
    READ = auto()
    """To read."""


def is_postgresql(place: str) -> bool:
    return POSTGRESQL.match(place) is not None


def display(place: str) -> str:
    if not is_postgresql(place):
        return place
    try:
        url = _url(place).difference_update_query(["password", "sslpassword"])
        return url.render_as_string(hide_password=True)
    except StoreError:
        return "postgresql://…"


def connect(
    place: str, access: Access = Access.OWN, *, unfinished: bool = False, held: Tenure | None = None
) -> sa.Connection:
    """Open the database; the owner creates and migrates it.

    The ``info`` of PostgreSQL's owner has its tenure under ``tenure.HELD``; who has lost that
    connection states it as ``held``.

    Raises:
        StoreTakenOverError: when another process has owned it since.
        StoreInUseError: when another process owns it, for ``Access.OWN``.
        StoreMissingError: when there is none, for the other kinds of access.
        StoreError: when it can't be opened, is an unfinished copy, or its tables are those of
            another version.
    """
    with ExitStack() as undo, _in_words(place):
        engine, lock = _engine(place, access), None
        if access is Access.OWN and not is_postgresql(place) and place != IN_MEMORY:
            lock = undo.enter_context(lock_file.claim(place))
            sa.event.listen(engine, "close", partial(lock_file.unlock, lock))
        connection = undo.enter_context(engine.connect())
        is_schemas_owner = access is Access.OWN and is_postgresql(place)
        if is_schemas_owner:
            tenure.claim(connection, _schema(place), display(place), held)
        found = revision_of(connection, place)
        if access is Access.OWN:
            versions.migrate(connection, found)
            if lock is not None:
                lock_file.note_open(lock)
            if is_schemas_owner:
                connection.info[tenure.HELD] = held or tenure.begin(connection)
        elif found is None:
            raise missing(place)
        elif found != versions.newest():
            raise StoreError(
                f"{display(place)} belongs to another version: {found}, not {versions.newest()}; "
                "a server that starts on it, or `mancala store upgrade`, upgrades it"
            )
        if not unfinished:
            _refuse_unfinished(connection, place)
        undo.pop_all()
    return connection


def reach(place: str, access: Access) -> sa.Connection:
    with _in_words(place):
        return _engine(place, access).connect()


def revision_of(connection: sa.Connection, place: str) -> str | None:
    """Return the version of the tables, if there are any; StoreError when it is no known one."""
    with _in_words(place):
        found = versions.version_of(connection)
    if found is not None and (fault := versions.fault_of(found)):
        raise StoreError(f"{display(place)} {fault}")
    return found


def known_revision(connection: sa.Connection, place: str) -> str:
    """Return the version of the tables, of any version; StoreMissingError where there are none."""
    found = revision_of(connection, place)
    if found is None:
        raise missing(place)
    return found


def missing(place: str) -> StoreMissingError:
    """Return the error of a place without a store; only a server that starts there makes one."""
    if is_postgresql(place) or Path(place).exists():
        return StoreMissingError(f"there is no server's store in {display(place)}")
    is_default = Path(place).parent == state_directory()
    where = ", where a server of this user has it if its settings name no store"
    return StoreMissingError(f"there is no store at {place}{where if is_default else ''}")


def _engine(place: str, access: Access) -> sa.Engine:
    return (_open_postgresql if is_postgresql(place) else _open_sqlite)(place, access)


def _of_another(place: str) -> str:
    """Return the sentence for a file that this user may not open; empty for other troubles.

    A server that root once started by hand leaves a store that its service cannot open.
    """
    path = Path(place)
    if is_postgresql(place) or not path.exists() or os.access(path, os.R_OK | os.W_OK):
        return ""
    owner, me = (name_of_user(number) for number in (path.stat().st_uid, os.getuid()))
    return f"it belongs to {owner}, and {me} may not open it: run this as {owner}, or chown {path}*"


@contextmanager
def _in_words(place: str) -> Generator[None]:
    """Raise what the database refuses as a StoreError, in its own words."""
    try:
        yield
    except DBAPIError as error:
        why = _of_another(place) or reason_of(error)
        raise error_of(f"{display(place)}: {why}", error) from None


def reason_of(error: DBAPIError) -> str:
    """Return the first line of what the driver says, without numbers of the system's errors."""
    return re.sub(r"\[Errno -?[0-9]+\] ", "", str(error.orig).strip().partition("\n")[0])


def vacuum(connection: sa.Connection) -> None:
    """Return the room of deleted rows to the disk, and renew the statistics of the planner."""
    driver: Any = connection.connection.dbapi_connection
    if connection.dialect.name == "sqlite":
        driver.execute("VACUUM")
        driver.execute("ANALYZE")
        return
    connection.rollback()
    driver.autocommit = True
    for table in ("moves", "games"):
        driver.execute(f"VACUUM (FULL, ANALYZE) {table}")


def _refuse_unfinished(connection: sa.Connection, place: str) -> None:
    is_unfinished = connection.execute(sa.select(copied.c.table).limit(1)).first() is not None
    connection.rollback()
    if is_unfinished:
        raise StoreError(
            f"{display(place)} is the unfinished copy of another store; "
            "the same `mancala store copy` goes on with it"
        )


# SQLite


def _open_sqlite(path: str, access: Access) -> sa.Engine:
    url = sa.URL.create("sqlite", database=path)  # whatever characters it has
    engine = sa.create_engine(url, poolclass=NullPool, paramstyle="named")
    sa.event.listen(engine, "connect", partial(_prepare, access))
    how = "BEGIN" if access is Access.READ else "BEGIN IMMEDIATE"
    sa.event.listen(engine, "begin", partial(_begin, how))
    if access is not Access.OWN:
        if not Path(path).exists():
            raise missing(path)
        sa.event.listen(engine, "close", partial(lock_file.note_taken_over, path))
    return engine


def _begin(how: str, connection: sa.Connection) -> None:
    """Begin without SQLAlchemy's preparations, which take longer than SQLite's own work."""
    driver: Any = connection.connection.dbapi_connection
    driver.execute(how)


def expect_unclaimed(place: str) -> None:
    """Raise StoreInUseError where another process has claimed a store."""
    if is_postgresql(place):
        with closing(reach(place, Access.READ)) as connection:
            tenure.expect_free(connection, _schema(place), display(place))
    else:
        lock_file.expect_free(place)


def looks(place: str) -> Generator[StoreInUseError | None]:
    """Yield None once the store is reached, and then, while another process has it, why it waits.

    It ends when the store is free. StoreError says why it can't be reached, or not any more.
    """
    with _in_words(place), ExitStack() as stack:
        asks = [partial(expect_unclaimed, place)]
        if is_postgresql(place):  # who ends all sessions ends ours last, so a new one asks, too
            connection = stack.enter_context(closing(reach(place, Access.READ)))
            ask = partial(tenure.expect_free, connection, _schema(place), display(place))
            asks.insert(0, ask)
        yield None
        while True:
            try:
                for ask in asks:
                    ask()
            except StoreInUseError as error:
                yield error
            else:
                return


def _prepare(access: Access, driver: Any, _record: object) -> None:  # noqa: ANN401  # any driver's connection
    driver.isolation_level = None
    cursor = driver.cursor()
    for pragma in (*OF_THE_FILE, *PRAGMAS) if access is Access.OWN else PRAGMAS:
        cursor.execute(pragma)
    if access is Access.READ:
        cursor.execute("PRAGMA query_only=ON")
    cursor.close()


# PostgreSQL


def _open_postgresql(place: str, access: Access) -> sa.Engine:
    url = _url(place)
    schema = url.query.get("schema")
    if schema is None:
        raise StoreError(
            f"{display(place)}: name the schema: ?schema=NAME; a server whose settings name none"
            " has mancala_ and its own name"
        )
    if not isinstance(schema, str) or not SCHEMA.fullmatch(schema):
        raise StoreError(f"{display(place)}: schema must be a plain lower-case name")
    settings = {"search_path": schema, "application_name": "mancala", **LIVENESS, **OF_SESSIONS}
    if access is Access.OWN:
        settings["tcp_user_timeout"] = str(OWNERS_TIMEOUT_MS)
    own = " ".join(url.normalized_query.get("options", ()))
    ours = " ".join(f"-c {name}={value}" for name, value in settings.items())
    options = f"{own} {ours}".strip().replace("read committed", r"read\ committed")
    url = url.set(drivername="postgresql+psycopg").difference_update_query(["schema", "options"])
    here = {name.replace("tcp_keep", "keep"): value for name, value in LIVENESS.items()}
    here |= {"tcp_user_timeout": str(TIMEOUT_MS), "client_encoding": UNICODE}
    arguments = {"options": options, "connect_timeout": CONNECT_S, **here}
    try:
        engine = sa.create_engine(url, poolclass=NullPool, connect_args=arguments)
    except ModuleNotFoundError:
        raise StoreError(
            'PostgreSQL needs psycopg; pip install "mancala-arena[postgres]"'
        ) from None
    except (ArgumentError, ValueError):
        raise StoreError(MALFORMED) from None
    sa.event.listen(engine, "do_connect", partial(_connect_past_pooler, place, access, settings))
    return engine


def _connect_past_pooler(
    place: str,
    access: Access,
    settings: dict[str, str],
    dialect: sa.Dialect,
    _record: object,
    _arguments: list[Any],
    options: dict[str, Any],
) -> Any:  # noqa: ANN401  # a driver's connection
    """Connect with settings that a pooler may have refused or dropped; refuse one that shares."""
    try:
        driver: Any = dialect.connect(**options)
    except dialect.loaded_dbapi.OperationalError as error:
        if "startup parameter" not in str(error):
            raise
        options = {name: value for name, value in options.items() if name != "options"}
        driver = dialect.connect(**options)
    encoding = driver.info.parameter_status("server_encoding")
    if encoding != UNICODE:  # without one, texts come as bytes
        driver.close()
        raise StoreError(
            f"{display(place)} is a database in {encoding}, which cannot hold every name; make it"
            f" with createdb --encoding {UNICODE} --template template0"
        )
    is_set = _answer(driver, "SELECT current_setting('search_path')") == settings["search_path"]
    if (access is Access.OWN or not is_set) and _is_shared(driver, dialect, options):
        driver.close()
        raise StoreError(
            f"{display(place)} leads to a pooler in transaction mode (pgbouncer: pool_mode), which"
            " keeps neither the lock on the store nor prepared statements; name the database"
            " itself, or a pool in session mode"
        )
    if not is_set:
        for each in settings.items():
            _answer(driver, "SELECT set_config(%s, %s, false)", *each)
    if access is Access.OWN:
        _answer(driver, NO_LIMITS)
        if _answer(driver, "SHOW transaction_read_only") == "on":
            driver.close()
            raise StoreUnreachedError(f"{display(place)} {TAKES_NOTHING}")
    driver.read_only = access is Access.READ or None
    return driver


def _is_shared(driver: Any, dialect: sa.Dialect, options: dict[str, Any]) -> bool:  # noqa: ANN401  # a driver's connection
    """Return whether PostgreSQL's process for a connection serves others between transactions.

    Then the next connection gets it, or, where there are several, this one gets another.
    """
    own = _answer(driver, PROCESS)
    with closing(dialect.connect(**options)) as other:
        with closing(other.cursor()) as cursor:  # its transaction is under way
            cursor.execute(PROCESS)
            [others] = cursor.fetchone() or [None]
        return own in {others, None} or bool(_answer(driver, PROCESS) != own)


def _answer(driver: Any, question: str, *arguments: str) -> Any:  # noqa: ANN401  # of a driver
    """Return the one value of a question that is a transaction of its own."""
    with closing(driver.cursor()) as cursor:
        cursor.execute(question, arguments)
        [value] = cursor.fetchone()
    driver.commit()
    return value


def _schema(place: str) -> str:
    return str(_url(place).query["schema"])


def _url(place: str) -> sa.URL:
    """Read a URL as libpq does."""
    found = SEVERAL.fullmatch(place)
    try:
        if found is None:
            return sa.make_url(place)
        url = sa.make_url(f"{found['before']}{found['after']}")
        hosts = [unquote(each) for each in found["hosts"].split(",")]
        names = ",".join(PORT.sub("", each).strip("[]") for each in hosts)
        ports = ",".join("".join(PORT.findall(each)) for each in hosts)
        return url.update_query_dict({"host": names, "port": ports, **url.query})
    except (ArgumentError, ValueError):
        raise StoreError(MALFORMED) from None
