"""Make room for reviews: who may make them, which games wait, and what they add up to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

SUMS = ("games", "moves", "best", "lost", "moves_squared", "moves_lost", "lost_squared")


def upgrade() -> None:
    """Add the tables and columns of reviews."""
    flag = sa.Column("is_reviewer", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("bots", flag)
    op.create_table(
        "reviews",
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("ladder", sa.Text),
        sa.Column("first", sa.Text, nullable=False),
        sa.Column("second", sa.Text, nullable=False),
        sa.Column("urgency", sa.Integer, nullable=False),
        sa.Column("ended_at", sa.Text, nullable=False),
        sa.Column("version", sa.Integer),
        sa.Column("proven", sa.Float),
        sa.Column("reviewed_at", sa.Text),
        sa.Column("reviewer", sa.Text),
        sa.Column("sums", sa.Text),
        sa.Column("body", sa.LargeBinary),
        sa.PrimaryKeyConstraint("game", name="pk_reviews"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_reviews_game_games"),
    )
    op.create_index(
        "ix_reviews_waiting",
        "reviews",
        ["urgency", "ended_at"],
        sqlite_where=sa.text("version IS NULL"),
        postgresql_where=sa.text("version IS NULL"),
    )
    op.create_index("ix_reviews_version", "reviews", ["version"])
    op.create_table(
        "accuracies",
        *(sa.Column(name, sa.Text, nullable=False) for name in ("ladder", "name", "phase")),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in SUMS),
        sa.PrimaryKeyConstraint("ladder", "name", "phase", name="pk_accuracies"),
    )


def downgrade() -> None:
    """Downgrade."""
    op.drop_table("accuracies")
    op.drop_table("reviews")
    with op.batch_alter_table("bots") as batch:
        batch.drop_column("is_reviewer")
