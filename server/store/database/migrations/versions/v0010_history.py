"""Make room for ratings over time, for what games came to by opening and length, and for copies."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

OUTCOMES = ("games", "wins", "draws", "losses")


def upgrade() -> None:
    """Make it; only games that end from now on, or that are packed, are counted."""
    op.create_table(
        "points",
        _number("bot"),
        _number("ladder"),
        sa.Column("entrant", sa.Text, nullable=False),
        _number("day"),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("elo", "error", "games")),
        sa.PrimaryKeyConstraint("bot", "ladder", "entrant", "day", name="pk_points"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "splits",
        _number("bot"),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in OUTCOMES),
        sa.PrimaryKeyConstraint("bot", "kind", "value", name="pk_splits"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "copied",
        sa.Column("table", sa.Text, nullable=False),
        sa.Column("last", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("table", name="pk_copied"),
    )
    op.drop_index("ix_reviews_version", "reviews")
    op.create_index("ix_reviews_version_ended_at", "reviews", ["version", "ended_at"])


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False, autoincrement=False)


def downgrade() -> None:
    """Unmake it."""
    op.drop_index("ix_reviews_version_ended_at", "reviews")
    op.create_index("ix_reviews_version", "reviews", ["version"])
    for table in ("copied", "splits", "points"):
        op.drop_table(table)
