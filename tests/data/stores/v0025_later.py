"""A step that a later version of the program might take; tests add it to a copy of the scripts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a table and a column, and drop an index."""
    op.create_table("moods", sa.Column("name", sa.Text, primary_key=True))
    op.add_column("games", sa.Column("mood", sa.Text, nullable=False, server_default="calm"))
    op.create_index("ix_games_mood", "games", ["mood"])
    op.drop_index("ix_event_games_game", "event_games")


def downgrade() -> None:
    """Undo it."""
    op.create_index("ix_event_games_game", "event_games", ["game"])
    op.drop_index("ix_games_mood", "games")
    with op.batch_alter_table("games") as batch:
        batch.drop_column("mood")
    op.drop_table("moods")
