"""Back up the store while the server runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path  # noqa: TID251  # the type; the caller names the file

from server.config.settings import IN_MEMORY
from server.store.database import StoreError, StoreMissingError, display, is_postgresql


def back_up(place: str, target: Path) -> None:
    """Copy a SQLite store, as of one instant, to a file that must not exist yet.

    The copy is taken page by page in one read transaction (SQLite's online backup), which blocks no
    writer, and is checked before it is renamed to its target.

    Raises:
        StoreError: when there is no store, or the copy fails.
    """
    if is_postgresql(place):
        raise StoreError(f"{display(place)} is backed up by PostgreSQL's own tools: {_dump(place)}")
    if place == IN_MEMORY or not Path(place).exists():
        raise StoreMissingError(f"there is no store at {place}")
    if not target.parent.is_dir():
        raise StoreError(f"{target}: there is no directory {target.parent}")
    if target.exists():
        raise StoreError(f"{target} exists already")
    unfinished = target.with_name(f"{target.name}.part")
    try:
        unfinished.unlink(missing_ok=True)
        _copy(place, unfinished)
        unfinished.replace(target)
    except OSError as error:
        raise StoreError(f"{target}: {error.strerror}") from error
    except sqlite3.Error as error:
        unfinished.unlink()
        raise StoreError(f"{place} cannot be copied to {target}: {error}") from error


def _copy(place: str, target: Path) -> None:
    target.touch(mode=0o600)
    with (
        closing(sqlite3.connect(f"{Path(place).resolve().as_uri()}?mode=ro", uri=True)) as store,
        closing(sqlite3.connect(target)) as copy,
    ):
        store.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        [verdict] = copy.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(f"{place} is damaged: {verdict}")


def _dump(place: str) -> str:
    return f"pg_dump --format=custom --file=TARGET {display(place)!r}"
