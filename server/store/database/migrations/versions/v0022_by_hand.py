"""Pairings that the organiser orders, and the reasons for results that were set by hand.

Roles and some settings of events are newer than the version before, which can't read them. So are
results that an event hides, which are kept apart.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from mancala.protocol import codec
from mancala.server.store.database.faults import StoreError

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

COLUMNS = {"event_entrants": "meets", "event_games": "note"}

NEW_SETTINGS = {
    *("about", "apart", "freeze", "interval_s", "pairing"),
    *("series", "edition", "every_days", "division", "promoted"),
    *("password", "team", "min_rating", "max_rating", "min_games", "rating_in"),
}


def upgrade() -> None:
    """Add the columns."""
    for table, name in COLUMNS.items():
        op.add_column(table, sa.Column(name, sa.Text, nullable=False, server_default=sa.text("''")))
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


def downgrade() -> None:
    """Leave them out: such results stay, and rounds to come are paired as usual.

    Roles are gone, and events have those of their settings that the version before knows. Hidden
    results would be lost, so they have to be revealed before.
    """
    if op.get_bind().scalar(sa.text("SELECT count(*) FROM sealed")):
        raise StoreError(
            "an event hides results, which the version before can't: mancala event reveal or "
            "publish shows them"
        )
    op.drop_table("sealed")
    for table, name in COLUMNS.items():
        op.drop_column(table, name)
    connection = op.get_bind()
    connection.execute(sa.text("DELETE FROM switches WHERE kind = 'role'"))
    kept = connection.execute(sa.text("SELECT name, settings FROM event_settings")).all()
    put = sa.text("UPDATE event_settings SET settings = :settings WHERE name = :name")
    for name, text in kept:
        settings = codec.from_json(text, dict[str, object])
        known = {key: value for key, value in settings.items() if key not in NEW_SETTINGS}
        connection.execute(put, {"name": name, "settings": codec.to_line(known).decode()})
