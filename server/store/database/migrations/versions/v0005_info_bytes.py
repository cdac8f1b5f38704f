"""Count the bytes of what bots report, so that the oldest reports can be dropped."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Count what is there, for each finished game and in all."""
    op.add_column("games", sa.Column("info_bytes", sa.BigInteger))
    op.execute(
        "UPDATE games SET info_bytes = (SELECT sum(length(moves.info)) FROM moves "
        "WHERE moves.game = games.id) WHERE ended_at IS NOT NULL"
    )
    op.create_index(
        "ix_games_with_info",
        "games",
        ["ended_at"],
        sqlite_where=sa.text("info_bytes IS NOT NULL"),
        postgresql_where=sa.text("info_bytes IS NOT NULL"),
    )
    op.execute(
        "INSERT INTO counters (name, value) "
        "SELECT 'info_bytes', coalesce(sum(info_bytes), 0) FROM games"
    )


def downgrade() -> None:
    """Downgrade."""
    op.execute("DELETE FROM counters WHERE name = 'info_bytes'")
    op.drop_index("ix_games_with_info", "games")
    with op.batch_alter_table("games") as batch:
        batch.drop_column("info_bytes")
