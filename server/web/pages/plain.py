"""What a page shows where no script runs, as in text browsers: lists that its answers hold."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, Final, NamedTuple

from mancala.protocol import codec

from ..api.answers import path_of
from ..languages import Catalogue

MOST_ROWS: Final = 100
ON_HOME: Final = "&named=true"
"""The end of what the home page asks for, whose bytes are few: it is no table there."""


class PlainTable(NamedTuple):
    """A table of the rows in one member of an answer.

    Attributes:
        columns: the title of each column, and the member of a row that it shows.
        link: where the first column leads, if anywhere: an address with members of the row.
    """

    caption: str
    member: str
    columns: tuple[tuple[str, str], ...]
    link: str = ""


LADDER: Final = (("Rank", "rank"), ("Bot", "name"), ("Rating", "rating"), ("Games", "games"))
EVENT: Final = (("Rank", "rank"), ("Bot", "name"), ("Points", "points"))
GAME: Final = (("Game", "players"), ("Result", "stores"), ("Moves", "plies"))
TABLES: Final = {
    "/games": PlainTable("Games", "games", GAME, "/games/{game}"),
    "/bots": PlainTable("Bots", "bots", (("Bot", "name"), ("Games", "games")), "/bots/{name}"),
    "/ladders": PlainTable(
        "Ladders", "ladders", (("Ladder", "ladder"), ("Online", "players")), "/ladders/{ladder}"
    ),
    "/ladders/{name}/standings": PlainTable("Standings", "standings", LADDER),
    "/events": PlainTable("Events", "events", (("Event", "name"),), "/events/{name}"),
    "/events/{name}": PlainTable("Standings", "standings", EVENT),
}


def plain_tables(
    needs: tuple[str, ...],
    given: Mapping[str, str],
    answers: Mapping[str, bytes],
    words: Catalogue,
) -> Iterator[str]:
    wanted = {path_of(path, given): path for path in map(_path, needs) if path in TABLES}
    for address, answer in answers.items():
        path = wanted.get(_path(address))
        if path is not None and not address.endswith(ON_HOME):
            table = TABLES[path]
            rows = codec.from_json(answer, dict[str, Any]).get(table.member)
            yield "".join(_lines(table, rows[:MOST_ROWS], words)) if rows else ""


def _path(address: str) -> str:
    return address.partition("?")[0]


def _lines(table: PlainTable, rows: list[dict[str, Any]], words: Catalogue) -> Iterator[str]:
    yield f"<table><caption>{escape(words.text(table.caption))}</caption><tr>"
    for title, _ in table.columns:
        yield f"<th>{escape(words.text(title))}</th>"
    for row in rows:
        yield "</tr>\n<tr>"
        for place, (_, member) in enumerate(table.columns):
            text = _text(row.get(member))
            if table.link and place == 0:
                names = {name: str(value) for name, value in row.items()}
                text = f'<a href="{escape(path_of(table.link, names))}">{text}</a>'
            yield f"<td>{text}</td>"
    yield "</tr></table>"


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return escape(" : ".join(map(str, value)))
    return f"{value:.5g}" if isinstance(value, float) else escape(str(value))
