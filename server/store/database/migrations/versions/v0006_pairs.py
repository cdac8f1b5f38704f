"""Count the side-swapped pairs of games in a ladder, which say more than their games alone."""

from __future__ import annotations

from collections import defaultdict

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_PLAYED = sa.text(
    "SELECT matches.ladder, matches.first_entrant, matches.second_entrant, "
    "there.winner AS winner_there, back.winner AS winner_back "
    "FROM matches "
    "JOIN games AS there ON there.match = matches.id "
    "JOIN games AS back ON back.match = matches.id AND back.number = there.number + 1 "
    "WHERE matches.ladder IS NOT NULL AND there.number % 2 = 0 "
    "AND there.ended_at IS NOT NULL AND there.reason <> 'aborted' "
    "AND back.ended_at IS NOT NULL AND back.reason <> 'aborted'"
)


def upgrade() -> None:
    """Make the table, and count the pairs that were played."""
    pairs = op.create_table(
        "pairs",
        sa.Column("ladder", sa.Text, nullable=False),
        sa.Column("first", sa.Text, nullable=False),
        sa.Column("second", sa.Text, nullable=False),
        *(sa.Column(f"points_{half}", sa.Integer, nullable=False) for half in range(5)),
        sa.PrimaryKeyConstraint("ladder", "first", "second", name="pk_pairs"),
    )
    counts: defaultdict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0] * 5)
    for ladder, one, two, winner_there, winner_back in op.get_bind().execute(_PLAYED):
        half = _half_points(winner_there, 0) + _half_points(winner_back, 1)
        seen = half if one <= two else 4 - half
        counts[ladder, min(one, two), max(one, two)][seen] += 1
    op.bulk_insert(
        pairs,
        [
            {"ladder": ladder, "first": first, "second": second}
            | {f"points_{half}": count for half, count in enumerate(five)}
            for (ladder, first, second), five in counts.items()
        ],
    )


def _half_points(winner: int | None, seat: int) -> int:
    return 1 if winner is None else 2 * (winner == seat)


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("pairs")
