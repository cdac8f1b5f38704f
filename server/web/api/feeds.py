"""For programs of others: finished games as feeds, and the table and rounds of events as CSV.

Source of feeds: RFC 4287, "The Atom Syndication Format".
"""

import csv
import io
from collections.abc import Callable, Coroutine
from typing import Any, Final
from urllib.parse import quote
from xml.etree import ElementTree as ET

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Reason
from mancala.protocol.record import GameRecord
from mancala.protocol.text import quantity

from ...contest.live.reports import csv_of
from ...contest.live.views import EventView
from ...model.schemas.games import GamePage, GameStatus, GameSummary
from ..http.responses import Body, origin_of
from .answers import Answers

ATOM: Final = "application/atom+xml; charset=utf-8"
NAMESPACE: Final = "http://www.w3.org/2005/Atom"
PAGES: Final = {"bot": "/bots/{name}", "ladder": "/ladders/{name}"}
"""The page of whom games belong to, by what they are filtered by."""
NEEDED: Final = {"bot": "/bots/{name}", "ladder": "/ladders/{name}/superiority"}
"""What the API has of a name that exists."""
FEED: Final = "/feed.atom"
GAMES: Final = 20
CSV: Final = "text/csv; charset=utf-8"
COLUMNS: Final = ("rank", "name", "points", "games", "wins", "draws", "losses")
EVENT: Final = "/events/{name}"
GAME: Final = "/games/{game}"
BEFORE_ANY: Final = "1970-01-01T00:00:00Z"
"""When a feed without games was updated: Atom wants a time."""
CAUSES: Final = {
    Reason.TIMEOUT: "on time",
    Reason.ILLEGAL: "by an illegal move",
    Reason.RESIGNED: "by resignation",
    Reason.DISCONNECTED: "by disconnection",
    Reason.PROTOCOL: "by a broken protocol",
    Reason.WEDGED: "as the other did not answer",
}
"""How a game was won that was not decided on the board."""
Endpoint = Callable[[Request], Coroutine[Any, Any, Response]]
Finder = Callable[[Answers, Request, str], Coroutine[Any, Any, tuple[GameSummary, ...]]]


def feed_routes(answers: Answers) -> list[Route]:
    found = {page: _games_of(kind) for kind, page in PAGES.items()} | {EVENT: _games_of_event}
    return [Route(page + FEED, _handler(page, find, answers)) for page, find in found.items()]


def _handler(page: str, find: Finder, answers: Answers) -> Endpoint:
    async def send(request: Request) -> Response:
        name = request.path_params["name"]
        games = await find(answers, request, name)
        origin = origin_of(request)
        address = origin + page.format(name=quote(name))
        return Body(feed_of(name, games, address, origin), ATOM).respond(request)

    return send


def _games_of(kind: str) -> Finder:
    async def find(answers: Answers, request: Request, name: str) -> tuple[GameSummary, ...]:
        await answers.at(NEEDED[kind], {"name": name}, {}, request.scope)
        query = {kind: name, "status": "over", "limit": str(GAMES)}
        found = await answers.at("/games", {}, query, request.scope)
        return codec.from_json(found.plain, GamePage).games

    return find


async def _games_of_event(answers: Answers, request: Request, name: str) -> tuple[GameSummary, ...]:
    body = await answers.at(EVENT, {"name": name}, {}, request.scope)
    event = codec.from_json(body.plain, EventView)
    played = [
        game.game
        for each in event.rounds
        for encounter in each.encounters
        for game in encounter.games
        if game.game is not None
    ]
    bodies = [await answers.at(GAME, {"game": game}, {}, request.scope) for game in played[-GAMES:]]
    games = [summary_of(codec.from_json(each.plain, GameRecord)) for each in bodies]
    return tuple(sorted(games, key=lambda game: game.ended_at or "", reverse=True))


def summary_of(record: GameRecord) -> GameSummary:
    one, two = (player.name for player in record.players)
    return GameSummary.of(
        record,
        match=record.match or "",
        ladder=None,
        clock=record.clock or TimeControl(),
        players=(one, two),
        status=GameStatus.OVER,
        plies=len(record.moves),
        **{name: getattr(record.result, name, None) for name in ("winner", "stores", "reason")},
        started_at=record.started_at or BEFORE_ANY,
    )


def feed_of(name: str, games: tuple[GameSummary, ...], address: str, origin: str) -> bytes:
    """Return the feed of finished games, the latest first, of those whose page has the address."""
    feed = ET.Element("feed", xmlns=NAMESPACE)
    updated = games[0].ended_at if games else None
    _texts(feed, id=address, title=f"Games of {name}", updated=updated or BEFORE_ANY)
    ET.SubElement(feed, "link", rel="alternate", href=address)
    ET.SubElement(feed, "link", rel="self", href=address + FEED)
    for game in games:
        entry, link = ET.SubElement(feed, "entry"), f"{origin}/games/{game.game}"
        when = game.ended_at or game.started_at
        _texts(entry, id=link, title=_headline(game), updated=when, summary=_summary(game))
        _texts(ET.SubElement(entry, "author"), name=" and ".join(game.players))
        ET.SubElement(entry, "link", rel="alternate", href=link)
    return bytes(ET.tostring(feed, encoding="utf-8", xml_declaration=True))


def _texts(parent: ET.Element, **texts: str) -> None:
    for tag, text in texts.items():
        ET.SubElement(parent, tag).text = text


def _headline(game: GameSummary) -> str:
    one, other = game.players
    if not game.counts:
        return f"{one} against {other} does not count"
    if game.winner is None:
        return f"{one} and {other} drew"
    winner, loser = game.players[game.winner], game.players[1 - game.winner]
    if game.reason in CAUSES:
        return f"{winner} beat {loser} {CAUSES[game.reason]}"
    stores = game.stores or (0, 0)
    return f"{winner} beat {loser}, {stores[game.winner]} : {stores[1 - game.winner]}"


def _summary(game: GameSummary) -> str:
    where = "unrated" if not game.rated else f"ladder {game.ladder}" if game.ladder else "rated"
    return f"{quantity(game.plies, 'ply')}, {game.rules}, {where}"


def sheet_routes(answers: Answers) -> list[Route]:

    def sheet(made_of: Callable[[EventView], str]) -> Endpoint:
        async def answered(request: Request) -> Response:
            body = await answers.at(EVENT, request.path_params, {}, request.scope)
            text = made_of(codec.from_json(body.plain, EventView))
            return Body(text.encode(), CSV).respond(request)

        return answered

    sheets = {"standings": standings_csv, "rounds": csv_of}
    return [Route(f"{EVENT}/{name}.csv", sheet(made_of)) for name, made_of in sheets.items()]


def standings_csv(event: EventView) -> str:
    """Return the table of an event: a row a player, its tie-breaks last."""
    columns = [*COLUMNS, *(each.column for each in event.tie_breaks if each.column not in COLUMNS)]
    text = io.StringIO()
    sheet = csv.writer(text, lineterminator="\n")
    sheet.writerow(columns)
    for row in event.standings:
        values = (getattr(row, column) for column in columns)
        sheet.writerow(f"{value:g}" if isinstance(value, float) else value for value in values)
    return text.getvalue()
