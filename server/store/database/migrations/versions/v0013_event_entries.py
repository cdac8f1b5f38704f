"""Make room for entries of events: who was there at the check-in, and whose bot it is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make it; those who are entered now were entered by the organiser."""
    op.add_column(
        "event_entrants",
        sa.Column("checked_in", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.add_column("event_entrants", sa.Column("owner", sa.Text, nullable=False, server_default=""))


def downgrade() -> None:
    """Unmake it."""
    with op.batch_alter_table("event_entrants") as batch:
        batch.drop_column("owner")
        batch.drop_column("checked_in")
