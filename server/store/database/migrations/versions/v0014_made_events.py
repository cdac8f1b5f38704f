"""Make room for events that the configuration does not have, and for annulled games of events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make it; games that were annulled before keep their results."""
    op.create_table(
        "event_settings",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("origin", sa.Text),
        sa.PrimaryKeyConstraint("name", name="pk_event_settings"),
    )
    op.create_table(
        "imported_games",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_imported_games"),
    )
    op.add_column(
        "event_games",
        sa.Column("annulled", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_index("ix_event_games_game", "event_games", ["game"])


def downgrade() -> None:
    """Unmake it; events that the configuration does not have are not shown any more."""
    op.drop_index("ix_event_games_game", "event_games")
    with op.batch_alter_table("event_games") as batch:
        batch.drop_column("annulled")
    op.drop_table("imported_games")
    op.drop_table("event_settings")
