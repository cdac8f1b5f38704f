"""The games that were voided for a bot's sake, as a former server left them."""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam, select

from protocol import codec
from protocol.messages import Evidence, Reason
from server.store.schema import games, matches
from server.store.writer import Transaction

VOIDED: Final = (
    select(games.c.number, games.c.evidence, matches.c.first, matches.c.second)
    .join_from(games, matches)
    .where(games.c.began_at >= bindparam("since"))
    .where(games.c.reason == Reason.ABORTED)
    .where(games.c.evidence.is_not(None))
)


def spared_bots(transaction: Transaction, since: str) -> list[str]:
    """Return the bots that voided games saved from a loss, one name a game.

    Args:
        transaction: reads the store.
        since: the earliest beginning of a game, RFC 3339 or the beginning of such a text.
    """
    names: list[str] = []
    for row in transaction.execute(VOIDED, {"since": since}).mappings():
        spared = codec.from_json(row["evidence"], Evidence).spared
        if spared is not None:
            names.append(row[("first", "second")[spared ^ row["number"] % 2]])
    return names
