"""What a store holds of one game, for a person who looks into it."""

from collections.abc import Mapping
from contextlib import closing
from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, select

from mancala.protocol.text import quantity

from ..database.database import Access, connect
from ..database.packed import VERSION_BITS
from ..database.schema import games
from ..database.writer import Transaction
from ..rows.played import PlayedMoves, moves_of

GAME: Final = select(games).where(games.c.id == bindparam("key"))
BLOBS: Final = ("packed", "infos")


class ShownGame(NamedTuple):
    """A game as the store holds it.

    Attributes:
        columns: its row, without the packed values.
        packed: its packed moves; None while they are rows.
        infos: the bytes of its packed reports; None where there are none.
    """

    columns: Mapping[str, Any]
    packed: bytes | None
    infos: int | None
    played: PlayedMoves

    @property
    def version(self) -> int | None:
        """The version of the packed form; None while the moves are rows."""
        return None if self.packed is None else self.packed[0] & VERSION_BITS

    @property
    def as_json(self) -> dict[str, Any]:
        moves = [
            {"ply": ply, **move._asdict(), "info": info}
            for ply, (move, info) in enumerate(zip(*self.played, strict=True))
        ]
        packed = None if self.packed is None else self.packed.hex()
        held = {"packed": packed, "version": self.version, "infos_bytes": self.infos}
        return {**self.columns, **held, "moves": moves}

    @property
    def text(self) -> str:
        """The same in lines: the row, then a move each."""
        lines = [f"{name}: {value}" for name, value in self.columns.items() if value is not None]
        if self.packed is None:
            lines.append("moves as rows")
        else:
            size = f"{quantity(len(self.packed), 'byte')}, version {self.version}"
            lines += [f"packed: {size}", self.packed.hex(" ")]
        lines += [
            f"{ply:3}  pit {move.pit}  {move.elapsed_ms:9.3f} ms, {move.lag_ms:.3f} ms lag"
            f"{', forced' if move.forced else ''}{f'  {info}' if info is not None else ''}"
            for ply, (move, info) in enumerate(zip(*self.played, strict=True))
        ]
        return "\n".join(lines)


def show_game(place: str, game: str) -> ShownGame | None:
    """Return what a store holds of a game; None when there is no such game."""
    with closing(connect(place, Access.READ)) as connection, connection.begin():
        transaction = Transaction(connection)
        row = transaction.execute(GAME, {"key": game}).mappings().one_or_none()
        if row is None:
            return None
        packed, infos = row["packed"], row["infos"]
        return ShownGame(
            {name: value for name, value in row.items() if name not in BLOBS},
            None if packed is None else bytes(packed),
            None if infos is None else len(infos),
            moves_of(transaction, game),
        )
