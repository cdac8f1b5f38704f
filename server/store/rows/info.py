"""Drop the oldest reports of bots, so that they never fill the disk.

A report is the ``info`` of a move. Each finished game has the size of its reports, and a counter
the size of all. Where all exceed the limit, those of the games that ended first are dropped, a few
games in each transaction, so that no move waits for it. Moves and results stay.
"""

from typing import Final

from sqlalchemy import ColumnClause, bindparam, literal_column, null, select, update

from ..database.schema import counters, games
from ..database.writer import Transaction

TOTAL: Final[ColumnClause[str]] = literal_column("'info_bytes'")
"""The counter's name, in the text of each statement."""
GAMES_PER_CALL: Final = 50

COUNT_INFO: Final = (
    update(counters)
    .where(counters.c.name == TOTAL)
    .values(value=counters.c.value + bindparam("added"))
)
STORED: Final = select(counters.c.value).where(counters.c.name == TOTAL)
OLDEST: Final = (
    select(games.c.id, games.c.info_bytes)
    .where(games.c.info_bytes.is_not(None))
    .order_by(games.c.ended_at)
    .limit(GAMES_PER_CALL)
)
FORGET: Final = (
    update(games).where(games.c.id == bindparam("key")).values(infos=null(), info_bytes=null())
)


def drop_oldest(transaction: Transaction, limit: int) -> bool:
    """Drop the reports of some games if all exceed the limit; return whether they still do."""
    excess = int(transaction.execute(STORED).scalar_one()) - limit
    if excess <= 0:
        return False
    dropped = 0
    for row in transaction.execute(OLDEST).all():
        transaction.put(FORGET, {"key": row.id})
        dropped += row.info_bytes
        if dropped >= excess:
            break
    transaction.put(COUNT_INFO, {"added": -dropped})
    return 0 < dropped < excess
