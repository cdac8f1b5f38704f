"""Make the first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "counters",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_counters"),
    )
    op.create_table(
        "bots",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("token_hash", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_bots"),
    )
    op.create_table(
        "sessions",
        sa.Column("secret_hash", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("agent", sa.Text),
        sa.PrimaryKeyConstraint("secret_hash", name="pk_sessions"),
    )
    _make_games()
    op.create_table(
        "outbox",
        sa.Column("seq", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("event_id", sa.Text, nullable=False),
        sa.Column("topic", sa.Text, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("published_at", sa.Text),
        sa.PrimaryKeyConstraint("seq", name="pk_outbox"),
        sa.UniqueConstraint("event_id", name="uq_outbox_event_id"),
    )
    op.create_index("ix_outbox_published_at_seq", "outbox", ["published_at", "seq"])
    op.execute("INSERT INTO counters (name, value) VALUES ('seq', 0)")


def _make_games() -> None:
    op.create_table(
        "matches",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("first", sa.Text, nullable=False),
        sa.Column("second", sa.Text, nullable=False),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("clock", sa.Text, nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("first_points", sa.Float),
        sa.Column("second_points", sa.Float),
        sa.Column("began_at", sa.Text, nullable=False),
        sa.Column("ended_at", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_matches"),
    )
    op.create_index("ix_matches_ended_at", "matches", ["ended_at"])
    op.create_table(
        "games",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("match", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("began_at", sa.Text, nullable=False),
        sa.Column("ended_at", sa.Text),
        sa.Column("winner", sa.Integer),
        sa.Column("south_store", sa.Integer),
        sa.Column("north_store", sa.Integer),
        sa.Column("reason", sa.Text),
        sa.Column("evidence", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
        sa.ForeignKeyConstraint(["match"], ["matches.id"], name="fk_games_match_matches"),
        sa.UniqueConstraint("match", "number", name="uq_games_match_number"),
    )
    op.create_table(
        "moves",
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("ply", sa.Integer, nullable=False),
        sa.Column("pit", sa.Integer, nullable=False),
        sa.Column("elapsed_ms", sa.Float, nullable=False),
        sa.Column("lag_ms", sa.Float, nullable=False),
        sa.Column("forced", sa.Boolean, nullable=False),
        sa.Column("info", sa.Text),
        sa.PrimaryKeyConstraint("game", "ply", name="pk_moves"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_moves_game_games"),
    )


def downgrade() -> None:
    """Unmake them."""
    for table in ("outbox", "moves", "games", "matches", "sessions", "bots", "counters"):
        op.drop_table(table)
