"""Bring a whole store to this version's form, or back to that of the version before.

Both work in pieces, each a transaction: what a kill interrupts goes on where it was. The server
does the first by itself beside its games (``upgrade.py``); these are for doing it in one go.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Final, TypeVar

from sqlalchemy import Connection, func, select

from ..database.database import BEFORE, Access, connect, downgrade, vacuum
from ..database.schema import games
from ..database.writer import Transaction
from ..upkeep import upgrade
from .digest import Digest, add_some

T = TypeVar("T")

GAMES_A_PIECE: Final = 500
COUNT: Final = select(func.count()).select_from(games)

Progress = Callable[[int, int], None]
"""Called with how much is done, and how much there is."""


def upgrade_store(place: str, progress: Progress) -> None:
    """List and pack all games that a former version left.

    Args:
        place: the path or URL of the store; no server may run on it.
        progress: called after each piece.

    Raises:
        StoreError: when the store can't be opened.
    """
    with closing(connect(place, Access.OWN)) as connection:
        total, done = _do(connection, upgrade.left), 0
        while count := _do(connection, partial(upgrade.upgrade_some, limit=GAMES_A_PIECE)):
            done += count
            progress(done, total)
        if done:
            vacuum(connection)


def downgrade_store(place: str, progress: Progress) -> None:
    """Downgrade a store to the form that the version before reads.

    Args:
        place: the path or URL of the store; no server may run on it.
        progress: called after each piece.

    Raises:
        StoreError: when the store can't be opened.
    """
    with closing(connect(place, Access.OWN)) as connection:
        total, done = _do(connection, _count), 0
        last: int | None = upgrade.FIRST
        while last is not None:
            last = _do(connection, partial(upgrade.unpack_some, after=last, limit=GAMES_A_PIECE))
            done = min(total, done + GAMES_A_PIECE)
            progress(done, total)
        downgrade(connection, BEFORE)
        vacuum(connection)


def digest_of(place: str, progress: Progress) -> Digest:
    """Return the digest of all games of a store; a server may run on it.

    Args:
        place: the path or URL of the store.
        progress: called after each piece.

    Raises:
        StoreError: when the store can't be opened.
    """
    with closing(connect(place, Access.READ)) as connection, connection.begin():
        transaction, digest = Transaction(connection), Digest()
        total = _count(transaction)
        while more := add_some(transaction, digest, GAMES_A_PIECE):
            digest = more
            progress(digest.games, total)
        return digest


def _do(connection: Connection, act: Callable[[Transaction], T]) -> T:
    with connection.begin():
        transaction = Transaction(connection)
        value = act(transaction)
        transaction.flush()
    return value


def _count(transaction: Transaction) -> int:
    return int(transaction.execute(COUNT).scalar_one())
