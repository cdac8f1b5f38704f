"""What a page shows where no script runs, as in text browsers: lists that its answers hold.

The words are those of the page's scripts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, Final, NamedTuple

from mancala.protocol import codec

from ..api.answers import path_of
from ..languages import Catalogue

MOST_ROWS: Final = 100


class PlainTable(NamedTuple):
    """A table of the rows in one member of an answer.

    Attributes:
        columns: the title of each column, and the member of a row that it shows.
        link: where the first column leads, if anywhere.
    """

    caption: str
    member: str
    columns: tuple[tuple[str, str], ...]
    link: str = ""


LADDER: Final = (("Rank", "rank"), ("Bot", "name"), ("Rating", "rating"), ("Games", "games"))
EVENT: Final = (("Rank", "rank"), ("Bot", "name"), ("Points", "points"))
TABLES: Final = {
    "/ladders": PlainTable(
        "Ladders", "ladders", (("Ladder", "ladder"), ("Online", "players")), "/ladders/{row}"
    ),
    "/ladders/{name}/standings": PlainTable("Standings", "standings", LADDER),
    "/events": PlainTable("Events", "events", (("Event", "name"),), "/events/{row}"),
    "/events/{name}": PlainTable("Standings", "standings", EVENT),
}


def plain_tables(
    needs: tuple[str, ...],
    given: Mapping[str, str],
    answers: Mapping[str, bytes],
    words: Catalogue,
) -> Iterator[str]:
    """Yield the tables of a page's answers, as HTML."""
    for need in needs:
        table = TABLES.get(need)
        answer = answers.get(path_of(need, given)) if table is not None else None
        if table is not None and answer is not None:
            rows = codec.from_json(answer, dict[str, Any]).get(table.member)
            yield "".join(_lines(table, rows[:MOST_ROWS], words)) if rows else ""


def _lines(table: PlainTable, rows: list[dict[str, Any]], words: Catalogue) -> Iterator[str]:
    yield f"<table><caption>{escape(words.text(table.caption))}</caption><tr>"
    for title, _ in table.columns:
        yield f"<th>{escape(words.text(title))}</th>"
    for row in rows:
        yield "</tr>\n<tr>"
        for place, (_, member) in enumerate(table.columns):
            text = _text(row.get(member))
            if table.link and place == 0:
                text = f'<a href="{escape(path_of(table.link, {"row": row[member]}))}">{text}</a>'
            yield f"<td>{text}</td>"
    yield "</tr></table>"


def _text(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.5g}" if isinstance(value, float) else escape(str(value))
