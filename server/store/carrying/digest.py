"""A number that two stores share when they hold the same games, however they hold them."""

from __future__ import annotations

from hashlib import sha256
from typing import Final, NamedTuple

from sqlalchemy import RowMapping, bindparam, select

from mancala.protocol import codec

from ..database.schema import games, matches
from ..database.writer import Transaction
from ..rows.played import moves_of

BITS: Final = 256
OWN: Final = (
    *("id", "match", "number", "began_at", "ended_at", "winner"),
    *("south_store", "north_store", "reason", "evidence", "info_bytes"),
)
OF_THE_MATCH: Final = tuple(column.name for column in matches.columns if column.name != "id")
GAMES: Final = (
    select(*(games.c[name] for name in OWN), *(matches.c[n].label(f"m_{n}") for n in OF_THE_MATCH))
    .join_from(games, matches)
    .where(games.c.id > bindparam("after"))
    .order_by(games.c.id)
    .limit(bindparam("limit"))
)


class Digest(NamedTuple):
    """The digest of some games; those of others can be added in any order.

    Attributes:
        games: how many.
        total: the sum of a hash of each, modulo 2^256.
        last: the id of the last one.
    """

    games: int = 0
    total: int = 0
    last: str = ""

    @property
    def text(self) -> str:
        """The digest in hexadecimal."""
        return f"{self.total:0{BITS // 4}x}"


def add_some(transaction: Transaction, digest: Digest, limit: int) -> Digest | None:
    """Return the digest with the next games by id added; None when there are none left.

    Args:
        transaction: the transaction.
        digest: that of the games before.
        limit: maximum number of games.
    """
    found = transaction.execute(GAMES, {"after": digest.last, "limit": limit}).mappings().all()
    if not found:
        return None
    total = digest.total + sum(_hash(transaction, row) for row in found)
    return Digest(digest.games + len(found), total % 2**BITS, found[-1]["id"])


def _hash(transaction: Transaction, row: RowMapping) -> int:
    facts = codec.to_json([*row.values(), *moves_of(transaction, row["id"])])
    return int.from_bytes(sha256(facts).digest(), "big")
