"""The games of a ladder under another name: how a season that is over gets one of its own."""

from __future__ import annotations

from typing import Final

from sqlalchemy import delete, select, update

from ...model.journal import LadderMoved
from ..database.schema import accuracies, endings, entrants, games, matches, pairs, points, reviews
from ..database.writer import Transaction
from ..rows.listing import IS_LISTED, KEY, keep_key

BY_NAME: Final = (matches, endings, pairs, entrants, reviews, accuracies)
BY_KEY: Final = (games, points)


def move(entry: LadderMoved, transaction: Transaction) -> None:
    """Move all that was played in a ladder to another one; its members and limits stay."""
    transaction.execute(delete(entrants).where(entrants.c.ladder == entry.new)).close()
    old, new = (keep_key(transaction, name) for name in (entry.old, entry.new))
    for table in BY_NAME:
        change = update(table).where(table.c.ladder == entry.old).values(ladder=entry.new)
        transaction.execute(change).close()
    for table in BY_KEY:
        change = update(table).where(table.c.ladder == old).values(ladder=new)
        transaction.execute(change).close()
    transaction.flush()


def has_games(transaction: Transaction, ladder: str) -> bool:
    """Return whether any game is listed under a ladder, rated or not."""
    for (key,) in transaction.fetch(KEY, {"name": ladder}):
        query = select(games.c.id).where(games.c.ladder == key, IS_LISTED).limit(1)
        return transaction.execute(query).first() is not None
    return False
