"""Make room for ladders: who is in them, how strong, and which matches are theirs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables and columns of ladders."""
    for column in ("ladder", "first_entrant", "second_entrant", "openings"):
        op.add_column("matches", sa.Column(column, sa.Text))
    op.create_index("ix_matches_ladder", "matches", ["ladder"])
    op.add_column("sessions", _flag("is_guest", default=sa.true()))
    op.add_column("outbox", _flag("is_retained", default=sa.false()))
    op.create_index("ix_outbox_is_retained_topic", "outbox", ["is_retained", "topic"])
    _make_ladders()


def _flag(name: str, *, default: sa.ColumnElement[bool]) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False, server_default=default)


def _make_ladders() -> None:
    op.create_table(
        "members",
        sa.Column("ladder", sa.Text, nullable=False),
        sa.Column("secret_hash", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("ladder", "secret_hash", name="pk_members"),
    )
    op.create_table(
        "entrants",
        sa.Column("ladder", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("elo", sa.Float, nullable=False),
        sa.Column("deviation", sa.Float, nullable=False),
        sa.Column("volatility", sa.Float, nullable=False),
        sa.Column("strikes", sa.Integer, nullable=False),
        sa.Column("quarantined_until", sa.Text),
        sa.Column("quarantine_reason", sa.Text),
        sa.PrimaryKeyConstraint("ladder", "name", name="pk_entrants"),
    )
    op.create_table(
        "tallies",
        sa.Column("ladder", sa.Text, nullable=False),
        sa.Column("first", sa.Text, nullable=False),
        sa.Column("second", sa.Text, nullable=False),
        sa.Column("wins", sa.Integer, nullable=False),
        sa.Column("draws", sa.Integer, nullable=False),
        sa.Column("losses", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("ladder", "first", "second", name="pk_tallies"),
    )


def downgrade() -> None:
    """Downgrade."""
    for table in ("tallies", "entrants", "members"):
        op.drop_table(table)
    op.drop_index("ix_outbox_is_retained_topic", "outbox")
    op.drop_index("ix_matches_ladder", "matches")
    for table, columns in (
        ("outbox", ["is_retained"]),
        ("sessions", ["is_guest"]),
        ("matches", ["ladder", "first_entrant", "second_entrant", "openings"]),
    ):
        with op.batch_alter_table(table) as batch:
            for column in columns:
                batch.drop_column(column)
