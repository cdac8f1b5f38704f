"""Insert rows that take the place of those with their key, or add to them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects.postgresql import Insert, insert  # SQLite's dialect compiles it, too


def upsert(table: Table, columns: Collection[str] | None = None) -> Insert:
    """Return an INSERT whose rows replace those with the same primary key, or columns of them."""
    statement = insert(table)
    replaced = {
        name: value
        for name, value in dict(statement.excluded).items()
        if columns is None or name in columns
    }
    return _on_conflict(table, statement, replaced)


def accumulate(table: Table) -> Insert:
    """Return an INSERT whose rows are added to those with the same primary key, by column."""
    statement = insert(table)
    sums = {column.name: table.c[column.name] + column for column in statement.excluded}
    return _on_conflict(table, statement, sums)


def _on_conflict(table: Table, statement: Insert, values: Mapping[str, Any]) -> Insert:
    keys = [column.name for column in table.primary_key]
    others = {name: value for name, value in values.items() if name not in keys}
    return statement.on_conflict_do_update(index_elements=keys, set_=others)
