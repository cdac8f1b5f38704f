"""What can be learnt of a store without owning it: whether it opens, its bots, what may do harm."""

import shutil  # noqa: TID251  # it only asks how much room there is
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path  # noqa: TID251  # the store that the caller names
from tempfile import mkdtemp  # noqa: TID251  # whether a store's file can be created
from typing import Final

from sqlalchemy import select, text

from mancala.protocol.text import quantity

from ...config.settings import IN_MEMORY
from ...model.entrant import bot_name
from ..database.database import Access, display, is_postgresql, known_revision, reach, revision_of
from ..database.faults import TAKES_NOTHING, StoreError, StoreMissingError
from ..database.schema import bots, entrants, events
from ..database.writer import Transaction

FIRST_ROOM: Final = 50_000_000
"""Room on its disk, bytes, that a new store's file wants."""
MOST_ROOM: Final = 1_000_000_000
"""Room that is enough for a file of any size."""
MOST_OFF_S: Final = 2.0
"""How far a database's clock may be off."""
OF_SESSION: Final = text(
    "SELECT current_user, current_database(), current_schema(),"
    " coalesce(has_schema_privilege(current_schema(), 'CREATE'),"
    " has_database_privilege(current_database(), 'CREATE')), clock_timestamp(),"
    " pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean"
)


def known_bots(place: str) -> frozenset[str]:
    """Return the names of bots that have a token, or played in a ladder; none for a new store."""
    return _names(place, known_names)


def begun_events(place: str) -> frozenset[str]:
    """Return the names of the events that have begun; none for a new store."""
    query = select(events.c.name).where(events.c.regulations.is_not(None))
    return _names(place, lambda transaction: frozenset(transaction.execute(query).scalars()))


def _names(place: str, read: Callable[[Transaction], frozenset[str]]) -> frozenset[str]:
    if place == IN_MEMORY:
        return frozenset()
    try:
        _expect_room(place)
        with closing(reach(place, Access.READ)) as connection:
            if revision_of(connection, place) is None:
                return frozenset()
            return read(Transaction(connection))
    except StoreMissingError:
        return frozenset()


def expect_store(place: str) -> None:
    """Check that there is a server's store, of any version, before it is opened to be changed."""
    with closing(reach(place, Access.READ)) as connection:
        known_revision(connection, place)


def described(place: str) -> tuple[str, list[str]]:
    """Return which database a server's store is in, how large its place is, and what is amiss.

    Raises:
        StoreMissingError: when there is none, and a server could make it.
        StoreError: when it cannot be used, or not be made.
    """
    _expect_room(place)
    with closing(reach(place, Access.READ)) as connection:
        found = findings(Transaction(connection), place)
        if found and revision_of(connection, place) is None:
            raise StoreError("; ".join(found))
        known_revision(connection, place)
        if not is_postgresql(place):
            size = quantity(Path(place).stat().st_size, "byte")
            return f"SQLite at {place}, {size}", found
        program = connection.exec_driver_sql("SHOW server_version").scalar_one()
        return f"PostgreSQL {program} at {display(place)}", found


def findings(transaction: Transaction, place: str) -> list[str]:
    """Return what of an open store will do harm: sentences that say what to do about it."""
    if place == IN_MEMORY:
        return []
    found = _of_database(transaction) if is_postgresql(place) else _of_file(Path(place).absolute())
    return list(found)


def free_bytes(place: str) -> int | None:
    """Return the room on the disk of a store's file; None for another store."""
    if is_postgresql(place):
        return None
    folder = next(parent for parent in Path(place).absolute().parents if parent.is_dir())
    return shutil.disk_usage(folder).free


def size_of(store: str) -> int:
    """Return the bytes of a store's file and its log; 0 where it is none."""
    files = (Path(store), Path(f"{store}-wal"))
    return sum(path.stat().st_size for path in files if path.is_file())


def is_low(free: int, size: int) -> bool:
    """Return whether a disk has too little room left for a store's file; both in bytes."""
    return free < min(FIRST_ROOM + size, MOST_ROOM)


def lack_of_room(place: str) -> str | None:
    """Return that there is little room for a store's file, which may be yet to be made, or None."""
    free = free_bytes(place)
    if free is None or not is_low(free, size_of(place)):
        return None
    why = "a server stops where the store takes nothing: make room"
    return f"its disk has {free / 1e6:,.0f} MB of room left, and {why}"


def _of_file(path: Path) -> Iterator[str]:
    if (lack := lack_of_room(str(path))) is not None:
        yield lack
    mode = path.stat().st_mode
    is_reached = all(folder.stat().st_mode & stat.S_IXOTH for folder in path.parents)
    if mode & stat.S_IROTH and is_reached:
        yield (
            f"every user of this machine can read the store (mode {stat.S_IMODE(mode):o}), which"
            f" has addresses and the hashes of tokens: chmod o= {path.name}*"
        )


def _of_database(transaction: Transaction) -> Iterator[str]:
    began = datetime.now(UTC)  # noqa: TID251  # compared with the database's clock
    user, database, schema, may, clock, is_closed = tuple(transaction.execute(OF_SESSION).one())
    ended = datetime.now(UTC)  # noqa: TID251  # as above
    if is_closed:
        yield f"it {TAKES_NOTHING}"
    if not may:
        where = f"DATABASE {database}" if schema is None else f"SCHEMA {schema}"
        why = f"{user} may create nothing in it, as a new version does"
        yield f"{why}: GRANT CREATE ON {where} TO {user}"
    off_s = max((clock - ended).total_seconds(), (began - clock).total_seconds())
    if off_s > MOST_OFF_S:
        how = "ahead of" if clock > ended else "behind"
        yield f"the database's clock is {off_s:.0f} s {how} this machine's: set both by NTP"


def known_names(transaction: Transaction) -> frozenset[str]:
    """Return the names of bots that have a token, or played in a ladder."""
    issued = transaction.execute(select(bots.c.name)).scalars()
    rated = map(bot_name, transaction.execute(select(entrants.c.name)).scalars())
    return frozenset((*issued, *rated))


def _expect_room(place: str) -> None:
    """Check that a store's file is there, or can be made: root may write where nothing can be."""
    path = Path(place)
    try:
        if is_postgresql(place) or path.exists():
            return
        folder = next(parent for parent in path.absolute().parents if parent.exists())
        if not folder.is_dir():
            raise StoreError(f"{path}: {folder} is no directory")
    except OSError as error:
        raise StoreError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    try:
        Path(mkdtemp(prefix=".mancala-", dir=folder)).rmdir()
    except OSError:
        raise StoreError(f"{path}: {folder} cannot be written") from None
