"""Statements about rows by their key: replace, add, change and remove."""

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Delete, Table, Update, bindparam, delete, update
from sqlalchemy.dialects.postgresql import Insert, insert  # SQLite's dialect compiles it, too

Row = dict[str, Any]


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


def unless_there(table: Table) -> Insert:
    """Return an INSERT that leaves rows with the same key as they are."""
    return insert(table).on_conflict_do_nothing()


def change(table: Table, *columns: str) -> Update:
    """Return an UPDATE of columns of the row with a key; :func:`changed` makes its parameters."""
    [key] = table.primary_key
    values: dict[str, Any] = {name: bindparam(f"new_{name}") for name in columns}
    return update(table).where(key == bindparam("key")).values(values)


def changed(key: str | int, values: Mapping[str, Any]) -> Row:
    """Return the parameters of a change: values by the names of their columns."""
    return {"key": key, **{f"new_{name}": value for name, value in values.items()}}


def remove(table: Table) -> Delete:
    """Return a DELETE of the row with a key, by the names of its columns."""
    return delete(table).where(*(key == bindparam(key.name) for key in table.primary_key))


def _on_conflict(table: Table, statement: Insert, values: Mapping[str, Any]) -> Insert:
    keys = [column.name for column in table.primary_key]
    others = {name: value for name, value in values.items() if name not in keys}
    return statement.on_conflict_do_update(index_elements=keys, set_=others)
