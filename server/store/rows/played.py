"""The moves of a game: row by row while it is under way, one packed value once it is over."""

from typing import Final, NamedTuple

from sqlalchemy import bindparam, delete, select

from ..database.packed import StoredMove, pack, pack_infos, unpack, unpack_infos
from ..database.schema import games, moves
from ..database.writer import Transaction

ROWS: Final = (
    select(*(moves.c[name] for name in (*StoredMove._fields, "info")))
    .where(moves.c.game == bindparam("key"))
    .order_by(moves.c.ply)
)
PACKED: Final = select(games.c.packed, games.c.infos).where(games.c.id == bindparam("key"))
FORGET_ROWS: Final = delete(moves).where(moves.c.game == bindparam("key"))


class PlayedMoves(NamedTuple):
    """The moves of a game, and what the bots reported with each, as JSON."""

    moves: list[StoredMove]
    infos: list[str | None]

    @property
    def info_bytes(self) -> int | None:
        """The size of all reports; None where there are none."""
        return sum(map(len, filter(None, self.infos))) or None

    @property
    def columns(self) -> dict[str, int | bytes | None]:
        return {
            "plies": len(self.moves),
            "packed": pack(self.moves),
            "infos": pack_infos(self.infos),
        }


def moves_of(transaction: Transaction, game: str) -> PlayedMoves:
    found = transaction.fetch(PACKED, {"key": game})
    if not found or found[0][0] is None:
        return rows_of(transaction, game)
    packed, infos = found[0]
    played = unpack(bytes(packed))
    return PlayedMoves(played, unpack_infos(infos and bytes(infos), len(played)))


def rows_of(transaction: Transaction, game: str) -> PlayedMoves:
    rows = transaction.fetch(ROWS, {"key": game})
    made = [
        StoredMove(pit, elapsed, lag, bool(forced)) for pit, elapsed, lag, forced, _info in rows
    ]
    return PlayedMoves(made, [row[4] for row in rows])
