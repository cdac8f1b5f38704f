"""Pairings that the organiser orders, and the reasons for results that were set by hand.

Roles and some settings of events are newer than the version before, which can't read them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from mancala.protocol import codec

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

COLUMNS = {"event_entrants": "meets", "event_games": "note"}

NEW_SETTINGS = {"about", "apart", "freeze", "interval_s", "pairing"}


def upgrade() -> None:
    """Add the columns."""
    for table, name in COLUMNS.items():
        op.add_column(table, sa.Column(name, sa.Text, nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    """Leave them out: such results stay, and rounds to come are paired as usual.

    Roles are gone, and events have those of their settings that the version before knows.
    """
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
