"""The tables that the migrations make are those that the code uses."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import MetaData

from mancala.server.store.database.database import connect
from mancala.server.store.database.schema import metadata
from tests.server.store.databases import place_of

pytestmark = pytest.mark.usefixtures("database")


def keys_of(tables: MetaData) -> dict[str, Any]:
    """Return the keys, references, indexes and columns that may be null of each table."""
    return {
        name: (
            [column.name for column in table.primary_key],
            {(key.parent.name, key.target_fullname) for key in table.foreign_keys},
            {(*(c.name for c in index.columns), bool(index.unique)) for index in table.indexes},
            {column.name for column in table.columns if column.nullable},
        )
        for name, table in tables.tables.items()
        if name != "alembic_version"
    }


def test_the_migrations_make_exactly_the_tables_that_the_code_uses(tmp_path: Path) -> None:
    """Nothing is missing in either."""
    with closing(connect(place_of(tmp_path))) as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, metadata) == []
        found = MetaData()
        found.reflect(connection)
        assert keys_of(found) == keys_of(metadata)
