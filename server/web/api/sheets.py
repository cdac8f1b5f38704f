"""Tables as CSV, for spreadsheets: the standings of an event."""

from __future__ import annotations

import csv
import io
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mancala.protocol import codec

from ...contest.live.views import EventView
from ..http.responses import Body
from .answers import Answers

CSV: Final = "text/csv; charset=utf-8"
COLUMNS: Final = ("rank", "name", "points", "games", "wins", "draws", "losses")


def sheet_routes(answers: Answers) -> list[Route]:
    """Return the routes of the sheets."""

    async def standings(request: Request) -> Response:
        body = await answers.at("/events/{name}", request.path_params, {}, request.scope)
        return Body(standings_csv(codec.from_json(body.plain, EventView)), CSV).respond(request)

    return [Route("/events/{name}/standings.csv", standings)]


def standings_csv(event: EventView) -> bytes:
    """Return the table of an event: a row a player, its tie-breaks last."""
    columns = [*COLUMNS, *(each.column for each in event.tie_breaks if each.column not in COLUMNS)]
    text = io.StringIO()
    sheet = csv.writer(text, lineterminator="\n")
    sheet.writerow(columns)
    for row in event.standings:
        values = (getattr(row, column) for column in columns)
        sheet.writerow(f"{value:g}" if isinstance(value, float) else value for value in values)
    return text.getvalue().encode()
