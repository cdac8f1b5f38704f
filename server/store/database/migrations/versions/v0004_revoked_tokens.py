"""Let a token be revoked while its name stays reserved."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make room for the date."""
    op.add_column("bots", sa.Column("revoked_at", sa.Text))


def downgrade() -> None:
    """Downgrade."""
    with op.batch_alter_table("bots") as batch:
        batch.drop_column("revoked_at")
