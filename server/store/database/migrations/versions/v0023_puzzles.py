"""The puzzle of each day is chosen once and kept."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "puzzles",
        sa.Column("day", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("puzzle", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Leave it out: the puzzles of days are gone."""
    op.drop_table("puzzles")
