"""Forget what is older than it is to be kept, a little in each transaction.

Totals, ratings and accuracies stay: they are sums that no longer need the games behind them.
"""

from typing import Any, Final

from sqlalchemy import bindparam, delete, func, select

from ...model.timestamps import milliseconds_of
from ..database.schema import games, matches, reviews
from ..database.writer import Transaction
from ..rows.info import COUNT_INFO, FORGET
from ..rows.played import FORGET_ROWS

PER_CALL: Final = 50
"""Games forgotten in one transaction; it delays moves by a few milliseconds."""
PAGES_PER_CALL: Final = 200
ROWS_ANALYSED: Final = 1000
"""Rows of each index that SQLite looks at for its statistics."""

REPORTED: Final = (
    select(games.c.id, games.c.info_bytes)
    .where(games.c.info_bytes.is_not(None), games.c.ended_at < bindparam("before"))
    .order_by(games.c.ended_at)
    .limit(PER_CALL)
)
NEXT_VERSION: Final = select(func.min(reviews.c.version)).where(
    reviews.c.version > bindparam("after")
)
REVIEWED: Final = (
    select(reviews.c.game)
    .where(reviews.c.version == bindparam("version"), reviews.c.ended_ms < bindparam("before"))
    .order_by(reviews.c.ended_ms)
    .limit(PER_CALL)
)
OLDEST: Final = (
    select(games.c.match, matches.c.ended_at)
    .join_from(games, matches)
    .where(games.c.seq.is_not(None))
    .order_by(games.c.seq)
    .limit(PER_CALL)
)
GAMES_OF: Final = select(games.c.id, games.c.info_bytes).where(games.c.match == bindparam("key"))
FORGET_REVIEW: Final = delete(reviews).where(reviews.c.game == bindparam("key"))
FORGET_GAME: Final = delete(games).where(games.c.id == bindparam("key"))
FORGET_MATCH: Final = delete(matches).where(matches.c.id == bindparam("key"))


def forget_reports(transaction: Transaction, before: str) -> int:
    """Forget what bots reported in some games that ended before a time; return in how many."""
    found = transaction.execute(REPORTED, {"before": before}).all()
    for row in found:
        transaction.put(FORGET, {"key": row.id})
    _uncount(transaction, found)
    return len(found)


def forget_reviews(transaction: Transaction, before: str) -> int:
    """Forget the reviews of some games that ended before a time; return of how many."""
    version = transaction.execute(NEXT_VERSION, {"after": -1}).scalar()
    while version is not None:
        key = {"version": version, "before": milliseconds_of(before)}
        if found := transaction.execute(REVIEWED, key).scalars().all():
            for game in found:
                transaction.put(FORGET_REVIEW, {"key": game})
            return len(found)
        version = transaction.execute(NEXT_VERSION, {"after": version}).scalar()
    return 0


def forget_matches(transaction: Transaction, before: str) -> int:
    """Forget some matches that ended before a time, with all their games; return how many."""
    rows = transaction.execute(OLDEST).all()
    old = {row.match for row in rows if row.ended_at is not None and row.ended_at < before}
    for match in sorted(old):
        found = transaction.execute(GAMES_OF, {"key": match}).all()
        for game in found:
            for statement in (FORGET_REVIEW, FORGET_ROWS, FORGET_GAME):
                transaction.put(statement, {"key": game.id})
        _uncount(transaction, found)
        transaction.put(FORGET_MATCH, {"key": match})
    return len(old)


def _uncount(transaction: Transaction, found: Any) -> None:  # noqa: ANN401  # rows with the size of reports
    dropped = sum(row.info_bytes or 0 for row in found)
    if dropped:
        transaction.put(COUNT_INFO, {"added": -dropped})


def renew_statistics(transaction: Transaction) -> None:
    """Renew what the planner of queries knows of the tables; PostgreSQL does it by itself."""
    connection = transaction.connection
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA analysis_limit={ROWS_ANALYSED}").close()
        connection.exec_driver_sql("PRAGMA optimize").close()


def give_back_room(transaction: Transaction) -> bool:
    """Release some of the room of deleted rows back to the disk; return whether more is left.

    PostgreSQL does it by itself; a SQLite file of a former version keeps the room for new rows.
    """
    connection = transaction.connection
    if connection.dialect.name != "sqlite":
        return False
    driver: Any = connection.connection.dbapi_connection
    for _page in range(PAGES_PER_CALL):  # the driver stops after the first page of a larger number
        driver.execute("PRAGMA incremental_vacuum(1)")
    mode = connection.exec_driver_sql("PRAGMA auto_vacuum").scalar()
    left = connection.exec_driver_sql("PRAGMA freelist_count").scalar()
    return bool(mode and left)
