"""The tables of the first release, which are those before it; all games have the packed form."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from mancala.server.store.database.faults import StoreError

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Refuse a store whose games were not all packed, which only the program before does."""
    if op.get_bind().scalar(sa.text("SELECT count(*) FROM games WHERE seq IS NULL")):
        raise StoreError(
            "games in the store are not packed yet; `mancala store upgrade` of the program before "
            "this one (commit e9872345) does it"
        )


def downgrade() -> None:
    """Leave the tables as they are."""
