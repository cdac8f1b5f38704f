"""Make room for events: their states, entrants, rounds, games, and the log of their steps."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

TABLES = ("events", "event_entrants", "event_pairings", "event_games", "event_log")


def upgrade() -> None:
    """Make it."""
    op.add_column("matches", sa.Column("event", sa.Text))
    op.add_column("matches", sa.Column("event_game", sa.Integer))
    op.create_table(
        "events",
        *_texts("name", "state"),
        *_numbers("round"),
        sa.Column("resumes", sa.Text),
        sa.Column("regulations", sa.Text),
        sa.PrimaryKeyConstraint("name", name="pk_events"),
    )
    op.create_table(
        "event_entrants",
        *_texts("event", "name"),
        *_numbers("place", "joins"),
        sa.Column("leaves", sa.Integer),
        *_numbers("absences"),
        sa.PrimaryKeyConstraint("event", "name", name="pk_event_entrants"),
    )
    op.create_table(
        "event_pairings",
        *_texts("event"),
        *_numbers("round", "place"),
        *_texts("first"),
        sa.Column("second", sa.Text),
        *_texts("inputs"),
        sa.PrimaryKeyConstraint("event", "round", "place", name="pk_event_pairings"),
    )
    op.create_table(
        "event_games",
        *_texts("event"),
        *_numbers("number"),
        *_texts("first", "second"),
        sa.Column("winner", sa.Integer),
        *_numbers("margin"),
        *_texts("reason"),
        sa.Column("game", sa.Text),
        *_numbers("voids"),
        sa.PrimaryKeyConstraint("event", "number", name="pk_event_games"),
    )
    op.create_table(
        "event_log",
        *_texts("event"),
        *_numbers("number"),
        *_texts("at", "step", "by", "why"),
        sa.PrimaryKeyConstraint("event", "number", name="pk_event_log"),
    )


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _numbers(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.Integer, nullable=False, autoincrement=False) for name in names]


def downgrade() -> None:
    """Unmake it; events are forgotten, their games stay."""
    for table in TABLES:
        op.drop_table(table)
    with op.batch_alter_table("matches") as batch:
        batch.drop_column("event_game")
        batch.drop_column("event")
