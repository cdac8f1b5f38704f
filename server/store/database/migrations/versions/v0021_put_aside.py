"""Rows of the outbox that the broker did not accept are put aside, with the reason."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

INDEXES = {
    "ix_outbox_waiting": "published_at IS NULL AND aside_since IS NULL",
    "ix_outbox_aside": "aside_since IS NOT NULL",
}


def upgrade() -> None:
    """Add the columns, and the indexes of what waits and of what was put aside."""
    op.add_column("outbox", sa.Column("aside_since", sa.Text))
    op.add_column(
        "outbox", sa.Column("refusals", sa.Integer, nullable=False, server_default=sa.text("0"))
    )
    op.add_column("outbox", sa.Column("refused", sa.Text))
    for name, rows in INDEXES.items():
        where = sa.text(rows)
        op.create_index(name, "outbox", ["seq"], sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    """Leave them out; rows that were put aside are published in their order again."""
    for name in INDEXES:
        op.drop_index(name, "outbox")
    for column in ("aside_since", "refusals", "refused"):
        op.drop_column("outbox", column)
