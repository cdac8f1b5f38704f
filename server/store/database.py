"""Opening the database: one SQLite file that belongs to one server, brought up to date.

Write-ahead log, ``synchronous=NORMAL``: a commit survives the death of the server at any instant;
a power cut may cost the last commits, never the file. Transactions are begun by us and not by the
driver, so that a migration is all or nothing.
"""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO, Any, Final

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, event

IN_MEMORY: Final = ":memory:"
MIGRATIONS: Final = Path(__file__).parent / "migrations"
PRAGMAS: Final = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA busy_timeout=5000",
)


class StoreError(Exception):
    """The store can't be used."""


def connect(path: str) -> Connection:
    """Open the file, made if missing, and bring its tables up to date."""
    engine = create_engine(f"sqlite:///{path}")
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    connection = engine.connect()
    migrate(connection)
    return connection


def migrate(connection: Connection, revision: str = "head") -> None:
    """Take the steps that are missing."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
    connection.commit()


def claim(path: str) -> IO[str] | None:
    """Claim the file for this process; the claim ends with the file given, or with the process.

    Raises:
        StoreError: when another server has it.
    """
    if path == IN_MEMORY:
        return None
    Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = Path(f"{path}.lock").open("w")  # noqa: SIM115  # the claim lasts as long as the file
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise StoreError(f"{path} is in use by another server") from None
    return lock


def _prepare(driver: Any, _record: object) -> None:  # noqa: ANN401  # whatever driver it is
    driver.isolation_level = None
    cursor = driver.cursor()
    for pragma in PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")
