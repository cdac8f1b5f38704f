"""Keep the half-point byes that an organiser ordered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; no entrant had one."""
    op.add_column("event_entrants", sa.Column("byes", sa.Text, nullable=False, server_default=""))


def downgrade() -> None:
    """Drop it."""
    with op.batch_alter_table("event_entrants") as batch:
        batch.drop_column("byes")
