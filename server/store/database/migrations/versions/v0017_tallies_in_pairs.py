"""Keep what two entrants have played in one row, not in three."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

OUTCOMES = ("wins", "draws", "losses")
KEYS = ("ladder", "first", "second")
POINTS = tuple(f"points_{half}" for half in range(5))
SIDES = (("first", "second", ""), ("second", "first", "back_"))


def upgrade() -> None:
    """Move the tallies into the rows of their pairs, those of either seat."""
    for _low, _high, prefix in SIDES:
        for outcome in OUTCOMES:
            column = sa.Column(f"{prefix}{outcome}", sa.Integer, nullable=False, server_default="0")
            op.add_column("pairs", column)
    for low, high, prefix in SIDES:
        counts = [f"{prefix}{outcome}" for outcome in OUTCOMES]
        columns = ", ".join((*KEYS, *POINTS, *counts))
        found = ", ".join(("ladder", low, high, *["0"] * len(POINTS), *OUTCOMES))
        changes = ", ".join(f"{count} = excluded.{count}" for count in counts)
        op.execute(
            f"INSERT INTO pairs ({columns}) SELECT {found} FROM tallies "  # noqa: S608  # our own names
            f"WHERE {_is_before(low, high)} "
            f"ON CONFLICT ({', '.join(KEYS)}) DO UPDATE SET {changes}"
        )
    op.drop_table("tallies")


def downgrade() -> None:
    """Move them back."""
    op.create_table(
        "tallies",
        *(sa.Column(key, sa.Text, nullable=False) for key in KEYS),
        *(sa.Column(outcome, sa.Integer, nullable=False) for outcome in OUTCOMES),
        sa.PrimaryKeyConstraint(*KEYS, name="pk_tallies"),
    )
    for low, high, prefix in SIDES:
        counts = [f"{prefix}{outcome}" for outcome in OUTCOMES]
        op.execute(
            f"INSERT INTO tallies SELECT ladder, {low}, {high}, {', '.join(counts)} FROM pairs "  # noqa: S608  # our own names
            f"WHERE {' + '.join(counts)} > 0"
        )
        with op.batch_alter_table("pairs") as batch:
            for count in counts:
                batch.drop_column(count)


def _is_before(low: str, high: str) -> str:
    """Return the condition that one name comes before another, character by character."""
    collation = "C" if op.get_bind().dialect.name == "postgresql" else "BINARY"
    return f'{low} COLLATE "{collation}" < {high} COLLATE "{collation}"'
