"""Make room for events that were played elsewhere, and for the right to submit them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make it; no token has the right yet."""
    op.add_column(
        "bots", sa.Column("is_submitter", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.create_table(
        "submissions",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("submitted_at", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.Column("is_test", sa.Boolean, nullable=False),
        sa.Column("head", sa.Text, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_submissions"),
    )
    op.create_index("ix_submissions_latest", "submissions", ["is_test", "updated_at"])
    op.create_index("ix_submissions_author", "submissions", ["author", "updated_at"])


def downgrade() -> None:
    """Unmake it."""
    op.drop_table("submissions")
    with op.batch_alter_table("bots") as batch:
        batch.drop_column("is_submitter")
