"""Make room for packed games, lists that are read by index, and totals.

Only empty columns and tables are added here, so a large store is open after seconds; `upgrade.py`
fills them, game by game, while the server plays.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

DROPPED = {
    "ix_games_began_at_id": ("games", ["began_at", "id"]),
    "ix_matches_ended_at": ("matches", ["ended_at"]),
    "ix_matches_ladder": ("matches", ["ladder"]),
    "ix_matches_first": ("matches", ["first"]),
    "ix_matches_second": ("matches", ["second"]),
}
COLUMNS = {
    "seq": sa.BigInteger,
    "ladder": sa.Integer,
    "south": sa.Integer,
    "north": sa.Integer,
    "plies": sa.Integer,
    "packed": sa.LargeBinary,
    "infos": sa.LargeBinary,
}
LISTS = {
    "ix_games_seq": ["seq"],
    "ix_games_ladder": ["ladder", "seq"],
    "ix_games_south": ["south", "seq"],
    "ix_games_north": ["north", "seq"],
    "ix_games_south_ladder": ["south", "ladder", "seq"],
    "ix_games_north_ladder": ["north", "ladder", "seq"],
    "ix_games_pair": ["south", "north", "seq"],
}
SOME = {
    "ix_matches_running": ("matches", ["id"], "ended_at IS NULL"),
    "ix_games_running": ("games", ["seq"], "ended_at IS NULL"),
    "ix_games_unlisted": ("games", ["began_at", "id"], "seq IS NULL"),
}
OUTCOMES = ("games", "wins", "draws", "losses")
TOTALS = {
    "players": ("name",),
    "endings": ("bot", "ladder", "entrant", "seat", "reason"),
    "duels": ("south", "north"),
}
MET = "SELECT ladder, first, second, began_at, id FROM matches WHERE ladder IS NOT NULL"


def upgrade() -> None:
    """Make it, and note who met whom last."""
    for index, (table, _columns) in DROPPED.items():
        op.drop_index(index, table)
    for name, kind in COLUMNS.items():
        op.add_column("games", sa.Column(name, kind))
    op.add_column("outbox", sa.Column("ends_at", sa.BigInteger))
    for index, columns in LISTS.items():
        _make_index(index, "games", columns, "seq IS NOT NULL", unique=index == "ix_games_seq")
    for index, (table, columns, condition) in SOME.items():
        _make_index(index, table, columns, condition)
    op.create_table(
        "names",
        sa.Column("key", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_names"),
        sa.UniqueConstraint("name", name="uq_names_name"),
    )
    for table, keys in TOTALS.items():
        _make_totals(table, keys)
    _make_meetings()


def _make_index(
    name: str, table: str, columns: list[str], condition: str, *, unique: bool = False
) -> None:
    where = sa.text(condition)
    op.create_index(name, table, columns, unique=unique, sqlite_where=where, postgresql_where=where)


def _make_totals(table: str, keys: tuple[str, ...]) -> None:
    last = (sa.Column("last_game_at", sa.Text, nullable=False),) if table == "players" else ()
    op.create_table(
        table,
        *(_key(name) for name in keys),
        *(sa.Column(name, sa.Integer, nullable=False) for name in OUTCOMES),
        *last,
        sa.PrimaryKeyConstraint(*keys, name=f"pk_{table}"),
        sqlite_with_rowid=False,
    )


def _key(name: str) -> sa.Column[object]:
    kind = sa.Integer if name == "seat" else sa.Text
    return sa.Column(name, kind, nullable=False, autoincrement=False)


def _make_meetings() -> None:
    meetings = op.create_table(
        "meetings",
        *(sa.Column(name, sa.Text, nullable=False) for name in ("ladder", "name", "other")),
        sa.PrimaryKeyConstraint("ladder", "name", name="pk_meetings"),
        sqlite_with_rowid=False,
    )
    met: dict[tuple[str, str], tuple[str, str, str]] = {}
    for ladder, first, second, began_at, match in op.get_bind().execute(sa.text(MET)):
        for name, other in ((first, second), (second, first)):
            last = (began_at, match, other)
            if met.get((ladder, name), last) <= last:
                met[ladder, name] = last
    op.bulk_insert(
        meetings,
        [
            {"ladder": ladder, "name": name, "other": other}
            for (ladder, name), (_began_at, _match, other) in met.items()
        ],
    )


def downgrade() -> None:
    """Downgrade; ``mancala store downgrade`` unpacks the games before."""
    for table in ("meetings", *TOTALS, "names"):
        op.drop_table(table)
    for index, (table, _columns, _condition) in SOME.items():
        op.drop_index(index, table)
    for index in LISTS:
        op.drop_index(index, "games")
    with op.batch_alter_table("outbox") as batch:
        batch.drop_column("ends_at")
    with op.batch_alter_table("games") as batch:
        for column in COLUMNS:
            batch.drop_column(column)
    for index, (table, columns) in DROPPED.items():
        op.create_index(index, table, columns)
