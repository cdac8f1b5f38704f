"""Let games be listed by date and by bot without reading them all."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the indexes."""
    op.create_index("ix_games_began_at_id", "games", ["began_at", "id"])
    op.create_index("ix_matches_first", "matches", ["first"])
    op.create_index("ix_matches_second", "matches", ["second"])


def downgrade() -> None:
    """Unmake them."""
    op.drop_index("ix_matches_second", "matches")
    op.drop_index("ix_matches_first", "matches")
    op.drop_index("ix_games_began_at_id", "games")
