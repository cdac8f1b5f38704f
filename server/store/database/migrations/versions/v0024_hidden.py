"""Results that an event hides are kept apart, and its hidden games keep their places in the lists.

Some settings of events are newer than the version before, which can't read them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from mancala.protocol import codec
from mancala.server.store.database.faults import StoreError

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

CONDITIONS = ("password", "team", "min_rating", "max_rating", "min_games")
NEW_SETTINGS = {
    *CONDITIONS,
    *("rating_in", "series", "edition", "every_days", "division", "promoted"),
}
OVER = ("finished", "published", "cancelled")


def upgrade() -> None:
    """Add the tables; for a while, version 0022 had the one of results."""
    if not sa.inspect(op.get_bind()).has_table("sealed"):
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
    op.execute(
        "INSERT INTO hidden_games (game, seq) SELECT id, "
        "(SELECT coalesce(max(seq), 0) FROM games) + row_number() OVER (ORDER BY began_at, id) "
        "FROM games WHERE seq IS NULL"
    )


def downgrade() -> None:
    """Leave them out; events have those of their settings that the version before knows.

    No series goes on. Hidden games would be lost, so they have to be revealed before; and an event
    that asks something of bots that enter has to begin before, since it would be open to all.
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
    op.drop_table("hidden_games")
    op.drop_table("sealed")
