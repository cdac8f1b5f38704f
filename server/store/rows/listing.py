"""Where a game stands in the lists: its place in the order of all, and the keys of its lists."""

from typing import Final, NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from mancala.protocol.messages import Reason

from ..database.schema import games, hidden_games, matches, names
from ..database.writer import Transaction

T = TypeVar("T")
ONE: Final[sa.ColumnClause[int]] = sa.literal_column("1")
IS_LISTED: Final = games.c.seq.is_not(None)
# without IS_LISTED no index of SQLite serves
_LAST: Final = sa.union_all(
    sa.select(sa.func.max(games.c.seq).label("seq")).where(IS_LISTED),
    sa.select(sa.func.max(hidden_games.c.seq).label("seq")),
).subquery()
NEXT: Final = sa.select(sa.func.coalesce(sa.func.max(_LAST.c.seq), sa.literal_column("0")) + ONE)
"""The place of a game that begins."""
INTERN: Final = insert(names).on_conflict_do_nothing()


KEY: Final = sa.select(names.c.key).where(names.c.name == sa.bindparam("name"))


def counting(game: sa.FromClause) -> tuple[sa.ColumnElement[bool], ...]:
    """Return what holds of a game that is over with a result that counts."""
    return (
        game.c.ended_at.is_not(None),
        game.c.annulled_at.is_(None),
        game.c.reason != str(Reason.ABORTED),
    )


class Listing(NamedTuple):
    """What lists a game, as columns of its row: the keys of its ladder and of its bots' names."""

    ladder: int | None = None
    south: int | None = None
    north: int | None = None


def key_of(name: sa.ColumnElement[str]) -> sa.ColumnElement[int]:
    return sa.select(names.c.key).where(names.c.name == name).scalar_subquery()


_NAMES: Final = (matches.c.ladder, matches.c.first, matches.c.second)
NAMED: Final = sa.select(*_NAMES, *map(key_of, _NAMES)).where(matches.c.id == sa.bindparam("key"))


def listing_of(transaction: Transaction, match: str, number: int) -> Listing:
    """Return what lists a game of a match; the names get their keys."""
    found = transaction.fetch(NAMED, {"key": match})
    if not found:  # the database refuses the game
        return Listing()
    named, keys = found[0][:3], found[0][3:]
    unknown = [name for name, key in zip(named, keys, strict=True) if name and key is None]
    if unknown:
        for name in dict.fromkeys(unknown):
            transaction.put(INTERN, {"name": name})
        return listing_of(transaction, match, number)
    ladder, first, second = keys
    return Listing(ladder, *((first, second) if number % 2 == 0 else (second, first)))


def keep_key(transaction: Transaction, name: str) -> int:
    """Return the key of a name, which gets one if it has none."""
    found = transaction.fetch(KEY, {"name": name})
    if not found:
        transaction.put(INTERN, {"name": name})
        found = transaction.fetch(KEY, {"name": name})
    [(key,)] = found
    return int(key)


def played_by(
    key: int | sa.ColumnElement[int], column: sa.Column[T]
) -> sa.CompoundSelect[tuple[T]]:
    """Return a column of all games of the bot with a key, as ranges of the lists."""
    seats = games.c.south, games.c.north
    return sa.union_all(*(sa.select(column).where(IS_LISTED, seat == key) for seat in seats))


def next_place(transaction: Transaction) -> int:
    [(place,)] = transaction.fetch(NEXT, {})
    return int(place)
