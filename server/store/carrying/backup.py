"""Back up the store while the server runs.

A backup is one SQLite file, whatever the store is. That of a PostgreSQL store is a copy of all its
rows as of one instant; ``mancala store copy`` brings it back.
"""

import sqlite3
from contextlib import closing
from pathlib import Path  # noqa: TID251  # the type; the caller names the file

from ...config.settings import IN_MEMORY
from ..database.database import Access, connect, display, is_postgresql, missing
from ..database.faults import StoreError
from .copying import Progress, copy_rows


def ignore(_done: int, _total: int) -> None:
    """Show no progress."""


def back_up(place: str, target: Path, progress: Progress = ignore) -> None:
    """Copy a store, as of one instant, to a file that must not exist yet.

    The copy is taken in one read transaction, which blocks no writer: of SQLite page by page (its
    online backup), of PostgreSQL row by row. It is checked before it is renamed to its target.
    """
    if not is_postgresql(place) and (place == IN_MEMORY or not Path(place).exists()):
        raise missing(place)
    if not target.parent.is_dir():
        raise StoreError(f"{target}: there is no directory {target.parent}")
    if target.exists():
        raise StoreError(f"{target} exists already")
    unfinished = target.with_name(f"{target.name}.part")
    try:
        unfinished.unlink(missing_ok=True)
        unfinished.touch(mode=0o600)
        if is_postgresql(place):
            _copy_rows(place, unfinished, progress)
        else:
            _copy_pages(place, unfinished)
        _check(place, unfinished)
        unfinished.replace(target)
    except OSError as error:
        raise StoreError(f"{target}: {error.strerror}") from error
    except sqlite3.Error as error:
        raise StoreError(f"{display(place)} cannot be copied to {target}: {error}") from error
    finally:
        unfinished.unlink(missing_ok=True)


def _copy_pages(place: str, target: Path) -> None:
    with (
        closing(sqlite3.connect(f"{Path(place).resolve().as_uri()}?mode=ro", uri=True)) as store,
        closing(sqlite3.connect(target)) as copy,
    ):
        store.backup(copy)


def _copy_rows(place: str, target: Path, progress: Progress) -> None:
    try:
        with (
            closing(connect(place, Access.READ)) as store,
            closing(connect(str(target), Access.OWN, unfinished=True)) as copy,
        ):
            store.execution_options(isolation_level="REPEATABLE READ")
            with store.begin():
                copy_rows(store, copy, display(place), progress)
    finally:
        target.with_name(f"{target.name}.lock").unlink(missing_ok=True)


def _check(place: str, copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
        [verdict] = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(f"{display(place)} is damaged: {verdict}")
