"""Tables of the documentation that commands write."""

from __future__ import annotations

import re
from collections.abc import Sequence
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


def with_row(page: str, heading: str, cells: Sequence[str]) -> str:
    """Return a page's text with a row in the chapter of a heading, for the row of its first cell.

    A new row comes last in the chapter's last table.

    Raises:
        ValueError: when there is no such chapter.
    """
    line = "| " + " | ".join(cells) + " |"
    begin = page.index(f"\n## {heading}\n")
    chapter, *rest = re.split(r"(?=\n## )", page[begin + 1 :], maxsplit=1)
    old = re.compile(rf"^\| {re.escape(cells[0])} \|.*$", re.MULTILINE)
    if old.search(chapter):
        chapter = old.sub(lambda _: line, chapter)
    else:
        end = [row.end() for row in re.finditer(r"^\|.*$", chapter, re.MULTILINE)][-1]
        chapter = f"{chapter[:end]}\n{line}{chapter[end:]}"
    return page[: begin + 1] + chapter + "".join(rest)
