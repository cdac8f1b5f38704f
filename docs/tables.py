"""Tables of the documentation that commands write."""

from __future__ import annotations

from pathlib import Path


def write(page: Path, table: str) -> None:
    """Replace the table of a page that has the same heading row.

    Raises:
        ValueError: when the page has no such table.
    """
    heading = table.partition("\n")[0]
    lines = page.read_text().splitlines()
    start = lines.index(heading)
    end = start
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    page.write_text("\n".join([*lines[:start], *table.splitlines(), *lines[end:]]) + "\n")
