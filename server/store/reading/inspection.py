"""What can be learnt of a store without owning it: whether it opens, and which bots it knows."""

from __future__ import annotations

import os  # noqa: TID251  # whether a store's file can be created
from contextlib import closing
from pathlib import Path  # noqa: TID251  # the store that the caller names

from sqlalchemy import select

from mancala.protocol.text import quantity

from ...config.settings import IN_MEMORY
from ...model.entrant import bot_name
from ..database.database import Access, display, is_postgresql, known_revision, reach, revision_of
from ..database.faults import StoreError, StoreMissingError
from ..database.schema import bots, entrants
from ..database.writer import Transaction


def known_bots(place: str) -> frozenset[str]:
    """Return the names of bots that have a token, or played in a ladder; none for a new store.

    Raises:
        StoreError: when a server could not open it, in one line.
    """
    if place == IN_MEMORY:
        return frozenset()
    try:
        if not is_postgresql(place) and not Path(place).exists():
            _expect_creatable(Path(place))
            return frozenset()
        with closing(reach(place, Access.READ)) as connection:
            if revision_of(connection, place) is None:
                return frozenset()
            return known_names(Transaction(connection))
    except StoreMissingError:
        return frozenset()
    except OSError as error:
        raise StoreError(f"{display(place)}: {(error.strerror or str(error)).lower()}") from None


def expect_store(place: str) -> None:
    """Check that there is a server's store, of any version, before it is opened to be changed."""
    with closing(reach(place, Access.READ)) as connection:
        known_revision(connection, place)


def described(place: str) -> str:
    """Return which database a server's store is in, and how large its place is.

    Raises:
        StoreMissingError: when there is none.
        StoreError: when it can't be opened, in one line.
    """
    with closing(reach(place, Access.READ)) as connection:
        known_revision(connection, place)
        if not is_postgresql(place):
            return f"SQLite at {place}, {quantity(Path(place).stat().st_size, 'byte')}"
        program = connection.exec_driver_sql("SHOW server_version").scalar_one()
        return f"PostgreSQL {program} at {display(place)}"


def known_names(transaction: Transaction) -> frozenset[str]:
    """Return the names of bots that have a token, or played in a ladder."""
    issued = transaction.execute(select(bots.c.name)).scalars()
    rated = map(bot_name, transaction.execute(select(entrants.c.name)).scalars())
    return frozenset((*issued, *rated))


def _expect_creatable(path: Path) -> None:
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not folder.is_dir():
        raise StoreError(f"{path}: {folder} is no directory")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StoreError(f"{path}: {folder} cannot be written")
