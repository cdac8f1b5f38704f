"""Make room for the operator's orders and their trail, and for games that are annulled."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make it."""
    op.add_column("games", sa.Column("annulled_at", sa.Text))
    op.create_table(
        "bans",
        *_texts("kind", "key", "reason"),
        sa.Column("until", sa.Text),
        *_texts("at", "by"),
        sa.PrimaryKeyConstraint("kind", "key", name="pk_bans"),
    )
    op.create_table(
        "switches",
        *_texts("kind", "subject", "text", "at"),
        sa.Column("until", sa.Text),
        sa.PrimaryKeyConstraint("kind", "subject", name="pk_switches"),
    )
    op.create_table(
        "admin_log",
        sa.Column("number", sa.BigInteger, nullable=False, autoincrement=False),
        *_texts("at", "by", "action", "what", "why"),
        sa.PrimaryKeyConstraint("number", name="pk_admin_log"),
    )


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def downgrade() -> None:
    """Unmake it; games that were annulled count again."""
    for table in ("admin_log", "switches", "bans"):
        op.drop_table(table)
    with op.batch_alter_table("games") as batch:
        batch.drop_column("annulled_at")
