"""The tables of the first release, of those that the program before it left.

Some settings of events, roles and what an event hides are newer than that program, which can't read
them.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

from mancala.protocol import codec
from mancala.server.store.database.faults import StoreError

revision = "0024"
down_revision = "0019"
branch_labels = None
depends_on = None

COLUMNS: list[tuple[str, str, Any, str | None]] = [
    ("outbox", "aside_since", sa.Text, None),
    ("outbox", "refusals", sa.Integer, "0"),
    ("outbox", "refused", sa.Text, None),
    ("event_entrants", "meets", sa.Text, "''"),
    ("event_games", "note", sa.Text, "''"),
]
"""New columns: the table, the name, the type and the value of rows that are there."""
INDEXES = {
    "ix_outbox_waiting": "published_at IS NULL AND aside_since IS NULL",
    "ix_outbox_aside": "aside_since IS NOT NULL",
}
CONDITIONS = ("password", "team", "min_rating", "max_rating", "min_games")
NEW_SETTINGS = {
    *CONDITIONS,
    *("about", "apart", "freeze", "interval_s", "pairing"),
    *("rating_in", "series", "edition", "every_days", "division", "promoted"),
}
OVER = ("finished", "published", "cancelled")
TELLING = """SELECT event FROM event_entrants WHERE owner <> '' AND event IN
    (SELECT name FROM events WHERE regulations LIKE '%"format":"swiss"%')"""
"""Events whose hashes of rounds, which all can read, followed from the addresses of entrants."""
FORGET_INPUTS = f"UPDATE event_pairings SET inputs = '' WHERE event IN ({TELLING})"  # noqa: S608  # the above


def upgrade() -> None:
    """Add columns and tables; refuse a store whose games the program before did not pack."""
    if op.get_bind().scalar(sa.text("SELECT count(*) FROM games WHERE seq IS NULL")):
        raise StoreError(
            "games in the store are not packed yet; `mancala store upgrade` of the program before "
            "this one (commit e9872345) does it"
        )
    for table, name, kind, value in COLUMNS:
        default = None if value is None else sa.text(value)
        column = sa.Column(name, kind, nullable=value is None, server_default=default)
        op.add_column(table, column)
    _forget_inputs()
    for name, rows in INDEXES.items():
        where = sa.text(rows)
        op.create_index(name, "outbox", ["seq"], sqlite_where=where, postgresql_where=where)
    op.create_table(
        "puzzles",
        sa.Column("day", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("puzzle", sa.Text, nullable=False),
    )
    op.create_table(
        "sealed",
        sa.Column("subject", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("entry", sa.Text, nullable=False),
    )
    op.create_index("ix_sealed_event", "sealed", ["event", "number"])
    op.create_table(
        "hidden_games",
        sa.Column("game", sa.Text, primary_key=True),
        sa.Column("seq", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_hidden_games_seq", "hidden_games", ["seq"], unique=True)


def downgrade() -> None:
    """Leave them out, with roles and new settings of events; results set by hand stay.

    Rows that were put aside are published in their order again. Hidden games would be lost, so they
    have to be revealed before; and an event that asks something of bots that enter has to begin
    before, since it would be open to all.
    """
    connection = op.get_bind()
    hidden = ("games WHERE seq IS NULL", "sealed")
    if any(connection.scalar(sa.text(f"SELECT count(*) FROM {rows}")) for rows in hidden):  # noqa: S608  # these two
        raise StoreError(
            "an event hides results, which the version before can't: mancala event reveal or "
            "publish shows them"
        )
    query = (
        "SELECT it.name, it.settings, it.origin, events.state, events.round "
        "FROM event_settings AS it LEFT JOIN events ON events.name = it.name"
    )
    put = sa.text("UPDATE event_settings SET settings = :settings WHERE name = :name")
    for row in connection.execute(sa.text(query)).all():
        settings = codec.from_json(row.settings, dict[str, object])
        asked = [key for key in CONDITIONS if settings.get(key) not in (None, "", [])]
        if asked and row.origin is None and not row.round and row.state not in OVER:
            raise StoreError(
                f"the version before would open the event {row.name} to all, as it knows no "
                f"{asked[0]}: let it begin, or cancel it"
            )
        known = {key: value for key, value in settings.items() if key not in NEW_SETTINGS}
        connection.execute(put, {"name": row.name, "settings": codec.to_line(known).decode()})
    connection.execute(sa.text("DELETE FROM switches WHERE kind = 'role'"))
    for table in ("hidden_games", "sealed", "puzzles"):
        op.drop_table(table)
    for name in INDEXES:
        op.drop_index(name, "outbox")
    for table, name, _, _ in COLUMNS:
        op.drop_column(table, name)


def _forget_inputs() -> None:
    """Forget those hashes, also in payloads that wait for the broker or are kept."""
    connection = op.get_bind()
    telling = set(connection.scalars(sa.text(TELLING)))
    connection.execute(sa.text(FORGET_INPUTS))
    rounds = sa.text("SELECT seq, payload FROM outbox WHERE payload LIKE :begins")
    begins = {"begins": '{"schema":"mancala.event_round.v1"%'}
    put = sa.text("UPDATE outbox SET payload = :payload WHERE seq = :seq")
    for row in connection.execute(rounds, begins).all() if telling else ():
        payload = codec.from_json(row.payload, dict[str, object])
        if payload["event"] in telling:
            forgotten = codec.to_line({**payload, "inputs": ""}).decode()
            connection.execute(put, {"seq": row.seq, "payload": forgotten})
