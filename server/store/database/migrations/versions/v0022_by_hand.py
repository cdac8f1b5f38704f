"""Pairings that the organiser orders, and the reasons for results that were set by hand."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

COLUMNS = {"event_entrants": "meets", "event_games": "note"}


def upgrade() -> None:
    """Add the columns."""
    for table, name in COLUMNS.items():
        op.add_column(table, sa.Column(name, sa.Text, nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    """Leave them out: such results stay, and rounds to come are paired as usual."""
    for table, name in COLUMNS.items():
        op.drop_column(table, name)
