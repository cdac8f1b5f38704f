"""Bring a store to this version, or back to the one before, and compare it with its digest.

The digest is a number that two stores share when they hold the same games, however they hold them.
"""

from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from typing import Final, NamedTuple

from sqlalchemy import RowMapping, bindparam, func, select

from mancala.protocol import codec

from ..database.database import Access, connect, known_revision, reach, vacuum
from ..database.schema import games, matches
from ..database.versions import downgrade, newest
from ..database.writer import Transaction
from ..rows.played import moves_of

BITS: Final = 256
GAMES_A_PIECE: Final = 500
COUNT: Final = select(func.count()).select_from(games)
HELD: Final = frozenset(
    ("seq", "ladder", "south", "north", "plies", "packed", "infos", "annulled_at")
)
"""Columns that say how a game is held and listed, and not what was played."""
GAMES: Final = (
    select(
        *(column for column in games.columns if column.name not in HELD),
        *(column.label(f"m_{column.name}") for column in matches.columns if column.name != "id"),
    )
    .join_from(games, matches)
    .where(games.c.id > bindparam("after"))
    .order_by(games.c.id)
    .limit(GAMES_A_PIECE)
)

Progress = Callable[[int, int], None]
"""Called with how much is done, and how much there is."""


class Digest(NamedTuple):
    """The digest of some games; those of others can be added in any order.

    Attributes:
        total: the sum of a hash of each, modulo 2^256.
    """

    games: int = 0
    total: int = 0
    last: str = ""

    @property
    def text(self) -> str:
        return f"{self.total:0{BITS // 4}x}"


def upgrade_store(place: str) -> bool:
    """Bring a store to this version, while no server runs on it; return whether it was another."""
    with closing(reach(place, Access.READ)) as connection:
        former = known_revision(connection, place)
    with closing(connect(place, Access.OWN)) as connection:
        is_former = former != newest()
        if is_former:
            vacuum(connection)
    return is_former


def downgrade_store(place: str) -> None:
    """Bring a store back to the version before, while no server runs on it."""
    with closing(connect(place, Access.OWN)) as connection:
        downgrade(connection)
        vacuum(connection)


def digest_of(place: str, progress: Progress) -> Digest:
    """Return the digest of all games of a store; a server may run on it."""
    with closing(connect(place, Access.READ)) as connection, connection.begin():
        transaction, digest = Transaction(connection), Digest()
        total = int(transaction.execute(COUNT).scalar_one())
        while found := transaction.execute(GAMES, {"after": digest.last}).mappings().all():
            added = sum(_hash(transaction, row) for row in found)
            sums = digest.games + len(found), (digest.total + added) % 2**BITS
            digest = Digest(*sums, found[-1]["id"])
            progress(digest.games, total)
        return digest


def _hash(transaction: Transaction, row: RowMapping) -> int:
    facts = codec.to_json([*row.values(), *moves_of(transaction, row["id"])])
    return int.from_bytes(sha256(facts).digest(), "big")
