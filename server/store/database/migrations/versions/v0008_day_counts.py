"""Keep what is limited to a few in 24 hours, so that a restart does not forget it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    names = ("kind", "ladder", "key", "item", "counted_at")
    op.create_table("day_counts", *(sa.Column(name, sa.Text, nullable=False) for name in names))
    op.create_index("ix_day_counts_counted_at", "day_counts", ["counted_at"])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("day_counts")
