"""Tables as CSV: the same bytes for the same rows, and no cell that is a formula; pure."""

import csv
import io
from collections.abc import Iterable, Sequence


def as_csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV; True is ``yes``, False ``no``, and None an empty cell."""
    out = io.StringIO(newline="")
    table = csv.writer(out, lineterminator="\n")
    table.writerow(map(_cell, head))
    table.writerows(map(_cell, row) for row in rows)
    return out.getvalue()


def rows_with(table: str, columns: Sequence[str], text: str) -> str:
    """Return a table of `as_csv` with only the rows that have a text in one of these columns."""
    out, wanted = io.StringIO(newline=""), f"{_cell(text)}"
    rows = csv.DictReader(io.StringIO(table, newline=""))
    kept = csv.DictWriter(out, rows.fieldnames or (), lineterminator="\n")
    kept.writeheader()
    kept.writerows(row for row in rows if wanted in (row[name] for name in columns))
    return out.getvalue()


def _cell(value: object) -> object:
    """Return a value as a cell; a text that a spreadsheet would compute becomes plain text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        line = " ".join(value.split())
        return f"'{line}" if line.startswith(("=", "+", "-", "@")) else line
    return "" if value is None else value
