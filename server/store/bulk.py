"""Many rows for one table of SQLite in one call.

The driver gives up the interpreter around each row that it hands to SQLite, and takes it back
after; while the event loop is busy, that is a contest for every row. As one JSON text, the rows
are a single call: a fifth fewer context switches a move, and some per cent more moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Insert, TableClause, bindparam, func, insert, literal_column, select

from protocol import codec


@lru_cache
def insert_together(table: TableClause, names: tuple[str, ...]) -> Insert:
    """Insert the rows in ``:rows``, a JSON array of arrays, each in the order of these columns."""
    row = func.json_each(bindparam("rows")).table_valued("value").c.value
    places = range(len(names))
    values = select(*(func.json_extract(row, literal_column(f"'$[{at}]'")) for at in places))
    return insert(table).from_select(names, values, include_defaults=False)


def together(rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Give rows of plain values, with the same names in the same order, as that statement's."""
    return {"rows": codec.to_json([tuple(row.values()) for row in rows]).decode()}
