"""The finished games of a bot or a ladder as feeds, for programs that gather news.

Source: RFC 4287, "The Atom Syndication Format".
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final
from urllib.parse import quote
from xml.etree import ElementTree as ET

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mancala.protocol import codec
from mancala.protocol.messages import Reason
from mancala.server.model.schemas.games import GamePage, GameSummary
from mancala.server.web.answers import Answers
from mancala.server.web.responses import Body

ATOM: Final = "application/atom+xml; charset=utf-8"
NAMESPACE: Final = "http://www.w3.org/2005/Atom"
PAGES: Final = {"bot": "/bots/{name}", "ladder": "/ladders/{name}"}
"""The page of whom games belong to, by what they are filtered by."""
NEEDED: Final = {"bot": "/bots/{name}", "ladder": "/ladders/{name}/superiority"}
"""What the API has of a name that exists."""
FEED: Final = "/feed.atom"
GAMES: Final = "20"
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


def feed_routes(answers: Answers) -> list[Route]:
    """Return the routes of the feeds."""
    return [Route(page + FEED, _handler(kind, answers)) for kind, page in PAGES.items()]


def _handler(kind: str, answers: Answers) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    async def send(request: Request) -> Response:
        name = request.path_params["name"]
        await answers.at(NEEDED[kind], {"name": name}, {}, request.scope)
        query = {kind: name, "status": "over", "limit": GAMES}
        found = await answers.at("/games", {}, query, request.scope)
        page = codec.from_json(found.plain, GamePage)
        origin = f"{request.url.scheme}://{request.url.netloc}"
        address = origin + PAGES[kind].format(name=quote(name))
        return Body(feed_of(name, page.games, address, origin), ATOM).respond(request)

    return send


def feed_of(name: str, games: tuple[GameSummary, ...], address: str, origin: str) -> bytes:
    """Return the feed of finished games.

    Args:
        name: whose games they are.
        games: the games, the latest first.
        address: of the page about whom they belong to.
        origin: the server's address.
    """
    feed = ET.Element("feed", xmlns=NAMESPACE)
    updated = games[0].ended_at if games else None
    _texts(feed, id=address, title=f"Games of {name}", updated=updated or BEFORE_ANY)
    ET.SubElement(feed, "link", rel="self", href=address + FEED)
    ET.SubElement(feed, "link", rel="alternate", href=address)
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
    if game.reason is Reason.ABORTED:
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
    return f"{game.plies} plies, {game.rules}, {where}"
