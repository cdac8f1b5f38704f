"""Bring the games of a former version into the lists, packed, a few at a time.

A game that a former version left has no place in the lists yet (``games.seq``), and its moves are
rows. It can be read all the same, so a server plays on such a store immediately, and does this
beside it, the newest games first. Each call is a transaction of its own: a kill at any moment
leaves every game either as it was or done.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import bindparam, func, insert, null, select, update

from ..database.listing import listing_of, previous_place
from ..database.schema import games, moves
from ..database.writer import Transaction
from ..rows import totals
from ..rows.played import FORGET_ROWS, moves_of, rows_of
from ..rows.reviews import expand

COLUMNS: Final = ("id", "match", "number", "ended_at", "winner", "reason", "packed")
FIRST: Final = -(2**62)
"""Before every place."""
UNLISTED: Final = (
    select(*(games.c[name] for name in COLUMNS))
    .where(games.c.seq.is_(None))
    .order_by(games.c.began_at.desc(), games.c.id.desc())
    .limit(bindparam("limit"))
)
LIST: Final = (
    update(games)
    .where(games.c.id == bindparam("key"))
    .values({name: bindparam(f"new_{name}") for name in ("seq", "ladder", "south", "north")})
)
PACK: Final = (
    update(games)
    .where(games.c.id == bindparam("key"))
    .values({name: bindparam(f"new_{name}") for name in ("plies", "packed", "infos")})
)
LISTED: Final = (
    select(games.c.seq, games.c.id, games.c.packed)
    .where(games.c.seq > bindparam("after"), games.c.ended_at.is_not(None))
    .order_by(games.c.seq)
    .limit(bindparam("limit"))
)
UNPACK: Final = (
    update(games)
    .where(games.c.id == bindparam("key"))
    .values(plies=null(), packed=null(), infos=null())
)
PUT_ROW: Final = insert(moves)
LEFT: Final = select(func.count()).where(games.c.seq.is_(None))


def upgrade_some(transaction: Transaction, limit: int) -> int:
    """List and pack the newest games that are not yet; return how many there were.

    Args:
        transaction: the transaction.
        limit: maximum number of games.
    """
    found = transaction.execute(UNLISTED, {"limit": limit}).all()
    place = previous_place(transaction)
    for seq, row in zip(range(place, place - len(found), -1), found, strict=True):
        listing = listing_of(transaction, row.match, row.number)
        new = {f"new_{name}": key for name, key in listing._asdict().items()}
        transaction.put(LIST, {"key": row.id, "new_seq": seq, **new})
        if row.ended_at is not None and row.packed is None:
            _pack(transaction, row)
    return len(found)


def _pack(transaction: Transaction, row: Any) -> None:  # noqa: ANN401  # a row of `UNLISTED`
    columns = rows_of(transaction, row.id).columns
    new = {f"new_{name}": value for name, value in columns.items()}
    transaction.put(PACK, {"key": row.id, **new})
    transaction.put(FORGET_ROWS, {"key": row.id})
    totals.count(transaction, row.id, totals.Finished(row.winner, row.reason, row.ended_at))


def unpack_some(transaction: Transaction, after: int, limit: int) -> int | None:
    """Turn the moves of some finished games into rows again; return where to go on.

    Args:
        transaction: the transaction.
        after: the place of the last game of the call before; :data:`FIRST` for the first call.
        limit: maximum number of games.
    """
    found = transaction.execute(LISTED, {"after": after, "limit": limit}).all()
    for row in found:
        if row.packed is not None:
            _unpack(transaction, row.id)
    return found[-1].seq if found else None


def _unpack(transaction: Transaction, game: str) -> None:
    for ply, (move, info) in enumerate(zip(*moves_of(transaction, game), strict=True)):
        row = {"game": game, "ply": ply, **move._asdict(), "info": info}
        transaction.put(PUT_ROW, row)
    expand(transaction, game)
    transaction.put(UNPACK, {"key": game})


def left(transaction: Transaction) -> int:
    """Return how many games wait for this."""
    return int(transaction.execute(LEFT).scalar_one())
