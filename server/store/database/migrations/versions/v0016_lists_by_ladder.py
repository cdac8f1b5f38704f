"""Drop the indexes of a bot's games in all ladders, which those by ladder serve as well."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

SEATS = ("south", "north")


def upgrade() -> None:
    """Drop them."""
    for seat in SEATS:
        op.drop_index(f"ix_games_{seat}", "games")


def downgrade() -> None:
    """Make them again."""
    listed = sa.text("seq IS NOT NULL")
    for seat in SEATS:
        op.create_index(
            f"ix_games_{seat}",
            "games",
            [seat, "seq"],
            sqlite_where=listed,
            postgresql_where=listed,
        )
