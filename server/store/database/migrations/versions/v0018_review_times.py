"""Keep when a reviewed game ended as a number, which halves the index of reviews."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

NUMBER = {
    "sqlite": "CAST(strftime('%s', ended_at) AS INTEGER) * 1000"
    " + CAST(substr(ended_at, 21, 3) AS INTEGER)",
    "postgresql": "CAST(extract(epoch FROM CAST(ended_at AS timestamptz)) * 1000 AS bigint)",
}
WRITTEN = {
    "sqlite": "strftime('%Y-%m-%dT%H:%M:%S', ended_ms / 1000, 'unixepoch')"
    " || printf('.%03d+00:00', ended_ms % 1000)",
    "postgresql": "to_char(to_timestamp(ended_ms / 1000.0) AT TIME ZONE 'UTC',"
    ' \'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"\')',
}


def upgrade() -> None:
    """Turn RFC 3339 texts into milliseconds since 1970."""
    _change("ended_at", "ended_ms", NUMBER, sa.BigInteger())


def downgrade() -> None:
    """Turn them back."""
    _change("ended_ms", "ended_at", WRITTEN, sa.Text())


def _change(former: str, name: str, values: dict[str, str], type_: sa.BigInteger | sa.Text) -> None:
    value = values[op.get_bind().dialect.name]
    for index in ("ix_reviews_waiting", f"ix_reviews_version_{former}"):
        op.drop_index(index, "reviews")
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("reviews", former, type_=type_, postgresql_using=value)
        op.alter_column("reviews", former, new_column_name=name)
    else:
        op.execute(f"UPDATE reviews SET {former} = {value}")  # noqa: S608  # our own expression
        with op.batch_alter_table("reviews") as batch:
            batch.alter_column(former, new_column_name=name, type_=type_)
    op.create_index(
        *("ix_reviews_waiting", "reviews", ["urgency", name]),
        sqlite_where=sa.text("version IS NULL"),
        postgresql_where=sa.text("version IS NULL"),
    )
    op.create_index(f"ix_reviews_version_{name}", "reviews", ["version", name])
