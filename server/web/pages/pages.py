"""The pages: one address for each thing that can be shown, with its data inside.

Each response carries the API's answers that its scripts begin with, so one request opens a page.
An answer that can't be had now is left out, and the scripts ask for it.

The worker keeps what an installed page has shown. It acts on the addresses at and below its own, so
it stands at the root, and its address has no version: a browser compares it on each visit.
"""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from pathlib import Path  # noqa: TID251  # the type; a plug-in names the file
from typing import Final

from starlette.convertors import IntegerConvertor, StringConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mancala.plugins import Plugged, PluginGroup, tell
from mancala.protocol import codec

from ..api.answers import Answers, path_of
from ..api.endpoints import ENDPOINTS
from ..api.feeds import feed_routes
from ..feed.topics import UnavailableError
from ..http.responses import (
    BadRequestError,
    Body,
    NotFoundError,
    NotReviewedError,
    origin_of,
    policy,
    problem,
)
from ..languages import CHOICE, ENGLISH, LANGUAGES, Catalogue, keys_in, language_of
from ..static import MEDIA_TYPES, File, modules_of
from ..static.packs import PACKED
from .picture_routes import picture_routes
from .shell import EMBED, HTML, PUZZLE, PUZZLE_TITLE, RECORD, REVIEW, ROOT, Page, Shell

MANIFEST: Final = "application/manifest+json"
ROBOTS: Final = "User-agent: *\nDisallow: /api/\nDisallow: /metrics\n"
"""What programs that search leave alone: answers that pages carry, and figures."""
SITEMAP: Final = """\
<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>
"""
WORKER: Final = "worker.js"
ICON: Final = "icon.svg"
GROUND: Final = "#f7f4ef"
WOOD: Final = "#8a5a33"
YEAR_S: Final = 31536000
KEPT: Final = "public, max-age=31536000, immutable"
FILES_POLICY: Final = "default-src 'none'"
"""Of scripts and styles: that of a page is longer than many of them, and says nothing there."""
Handler = Callable[[Request], Awaitable[Response]]


class PlyConvertor(IntegerConvertor):
    """Reads the number of a ply in a path; what is longer than that of any game leads nowhere.

    Python refuses to read some thousand digits, which was an internal error.
    """

    regex = "[0-9]{1,6}"


register_url_convertor("ply", PlyConvertor())


class CodeConvertor(StringConvertor):
    """Reads the code of a league; what can be none leads nowhere."""

    regex = "[A-Za-z0-9]{3,12}"


register_url_convertor("code", CodeConvertor())

GAME: Final = (RECORD, f"{RECORD}/neighbours", REVIEW)
FOUND_GAMES: Final = (
    "/games?bot={bot}&opponent={opponent}&version={version}&ladder={ladder}"
    "&status={status}&result={result}&reason={reason}&since={since}&until={until}"
)
NOW: Final = (
    "/stage",
    *("/games?status=running&limit=20&named=true", "/games?status=over&limit=10&named=true"),
    *("/ladders", "/events"),
)
LADDER: Final = (
    *("/ladders/{name}/standings", "/ladders/{name}/superiority"),
    "/games?ladder={name}&limit=20",
)
BOT: Final = ("/bots/{name}", "/games?bot={name}&limit=20", "/bots/{name}/next")
VERSUS: Final = ("/bots/{name}/vs/{other}", "/games?bot={name}&opponent={other}&limit=20")
HISTORY: Final = ("/bots/{name}/ratings", "/bots/{name}/statistics")
EVENT: Final = ("/events/{name}",)
PAGES: Final = (
    Page("home", "/", "stage.js", "Now", NOW),
    Page("stage", "/stage", "stage.js", "Stage", ("/stage",), kind="projector"),
    Page("ladders", "/ladders", "lists.js", "Ladders", ("/ladders",)),
    Page("ladder", "/ladders/{name}", "lists.js", "Ladder {{name}}", LADDER, has_feed=True),
    Page("games", "/games", "search.js", "Games", (FOUND_GAMES,)),
    Page("play", "/play", "play.js", "Play", ("/opponents",)),
    Page("puzzles", "/puzzles", "puzzles.js", "Puzzles", ("/puzzles",)),
    Page(
        *("puzzles", PUZZLE, "puzzles.js", PUZZLE_TITLE),
        (PUZZLE, "/puzzles"),
    ),
    Page("lesson", "/lesson", "puzzles.js", "A first lesson"),
    Page("league", "/league", "league.js", "A league for a class"),
    Page("leagueWall", "/league/{code:code}", "league.js", "League {{code}}", kind="projector"),
    Page("takePart", "/take-part", "take_part.js", "Take part", ("/terms",)),
    Page("analysis", "/analysis", "analysis.js", "Analysis"),
    Page("river", "/river", "river.js", "The Last Seed", ("/river?board={board}&rules={rules}",)),
    Page("game", "/games/{game}", "game.js", "{{players}}", GAME, may_be_framed=True),
    Page(
        *("game", "/games/{game}/{ply:ply}", "game.js", "{{players}}, move {{ply}}", GAME),
        may_be_framed=True,
    ),
    Page("bots", "/bots", "lists.js", "Bots", ("/bots",)),
    Page("bot", "/bots/{name}", "lists.js", "{{name}}", BOT, has_feed=True),
    Page("botHistory", "/bots/{name}/history", "history.js", "History of {{name}}", HISTORY),
    Page(
        *("versus", "/bots/{name}/vs/{other}", "history.js", "{{name}} against {{other}}", VERSUS),
    ),
    Page(
        *("ladderHistory", "/ladders/{name}/history", "history.js", "History of ladder {{name}}"),
        ("/ladders/{name}/ratings",),
    ),
    Page("log", "/log", "lists.js", "The organiser's log", ("/log",)),
    Page("events", "/events", "events.js", "Events", ("/events", "/elsewhere")),
    Page("event", "/events/{name}", "events.js", "Event {{name}}", EVENT, has_feed=True),
    Page(
        *("eventProjector", "/events/{name}/projector", "events.js"),
        *("Event {{name}}, for a projector", EVENT),
        kind="projector",
    ),
    Page("tests", "/tests", "elsewhere.js", "Tests of engines", ("/tests",)),
    Page(
        *("elsewhere", "/elsewhere/{event}", "elsewhere.js", "Played elsewhere"),
        ("/elsewhere/{event}",),
    ),
    Page("match", "/matches/{match}", "lists.js", "Match {{match}}", ("/matches/{match}",)),
)
PLUGGED: Final = Plugged(PluginGroup.PAGES, Page, {page.name: page for page in PAGES})


def plugged(found: dict[str, File]) -> Iterator[Page]:
    """Yield the pages of plug-ins, and add their files; name on stderr what can't be shown."""
    for page in PLUGGED.loaded():
        if page.script is None:
            continue
        try:
            found[page.module] = _module_of(page, page.script, found)
        except (AssertionError, AttributeError, OSError, TypeError, ValueError) as error:
            tell(f"the page {page.path} can't be shown: {error}")
        else:
            yield page


def _module_of(page: Page, script: Path, found: Mapping[str, File]) -> File:
    file = File(script.read_bytes(), MEDIA_TYPES[".js"])
    if page.module in found or page.path in [each.path for each in PAGES]:
        raise ValueError("another page has its address, or the name of its module")
    if page.module.startswith(PACKED):
        raise ValueError(f"the names of modules that begin with `{PACKED}` are the server's own")
    try:
        modules_of({**found, page.module: file}, page.module, with_later=True)
    except KeyError as error:
        raise ValueError(f"its module imports {error}, which there is not") from None
    keys_in(file.body)  # or raises; a page that raised later would stop all others
    named = dict.fromkeys(Route(page.path, lambda _: None).param_convertors, "")
    try:
        Catalogue(ENGLISH, {}).text(page.title, **named)
        paths = [_asked(need, named)[0] for need in page.needs]
        for path in (page.address, *paths):
            path_of(path, named)
    except KeyError as error:
        raise ValueError(f"its address has no {error}") from None
    if unknown := [path for path in paths if path not in ENDPOINTS]:
        raise ValueError(f"the API has no {', '.join(unknown)}")
    return file


def page_routes(
    pages: Collection[Page], answers: Answers, shell: Shell, connect: Callable[[], str]
) -> list[Route]:

    async def send_file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in shell.files:
            raise NotFoundError(f"the page has no file {name}")
        response = shell.files[name].respond(request)
        if request.path_params.get("version") == shell.version:
            response.headers["Cache-Control"] = KEPT
        response.headers["Content-Security-Policy"] = FILES_POLICY
        return response

    async def send_manifest(request: Request) -> Response:
        return Body(manifest_of(shell.server_name(), shell.version), MANIFEST).respond(request)

    async def send_robots(request: Request) -> Response:
        found = f"{ROBOTS}Sitemap: {origin_of(request)}/sitemap.xml\n"
        return Body(found.encode(), "text/plain; charset=utf-8").respond(request)

    async def send_sitemap(request: Request) -> Response:
        paths = (page.path for page in pages if "{" not in page.path)
        rows = "".join(f"<url><loc>{origin_of(request)}{path}</loc></url>" for path in paths)
        return Body(SITEMAP.format(rows).encode(), "application/xml").respond(request)

    async def send_worker(request: Request) -> Response:
        return shell.files[WORKER].respond(request)

    return [
        *picture_routes(answers, shell),
        *feed_routes(answers),
        Route("/manifest.webmanifest", send_manifest),
        Route("/robots.txt", send_robots),
        Route("/sitemap.xml", send_sitemap),
        Route(f"/{WORKER}", send_worker),
        Route(f"{ROOT}/{{name}}", send_file),
        Route(f"{ROOT}/{{version}}/{{name}}", send_file),
        *(Route(page.path, _handler(page, shell, answers, connect)) for page in pages),
    ]


def _handler(page: Page, shell: Shell, answers: Answers, connect: Callable[[], str]) -> Handler:
    async def send(request: Request) -> Response:
        named = {name: str(value) for name, value in request.path_params.items()}
        asked = dict(request.query_params)
        given = {**asked, **named}
        found: dict[str, bytes] = {}
        status = 200
        for need in (*page.needs, ""):
            path, query = _asked(need, given)
            wanted = {name: named[name] for name in named if f"{{{name}}}" in path}
            address = path_of(path, wanted, query)
            try:
                found[address] = (await answers.at(path, wanted, query, request.scope)).plain
            except (BadRequestError, NotFoundError, NotReviewedError) as error:
                found[address] = problem(error.code, str(error))
                status = 404 if need in page.needs[:1] else status
            except UnavailableError:
                continue  # the scripts ask again until the game server answers
        html = shell.html(page, named, found, origin_of(request), language_of(request), asked)
        response = Body(html, HTML).respond(request, status)
        response.headers["Vary"] += ", Accept-Language, Cookie"
        if given.get(CHOICE) in LANGUAGES:
            response.set_cookie(CHOICE, given[CHOICE], YEAR_S, httponly=True, samesite="lax")
        if EMBED in given and page.may_be_framed:
            response.headers["Content-Security-Policy"] = policy(connect(), frames="*")
        return response

    return send


def _asked(need: str, given: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the path of a need, and its query with what is given; else a parameter is left out."""
    path, _, query = need.partition("?")
    pairs = (each.partition("=") for each in query.split("&") if each)
    filled = {name: given.get(text[1:-1], "") if "{" in text else text for name, _, text in pairs}
    return path, {name: text for name, text in filled.items() if text}


def manifest_of(name: str, version: str) -> bytes:
    """Return a server's page as an application (W3C, "Web Application Manifest")."""
    icon = {"src": f"{ROOT}/{version}/{ICON}", "type": "image/svg+xml", "sizes": "any"}
    return codec.to_json(
        {
            "name": name,
            "short_name": name[:12],
            "id": "/",
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "background_color": GROUND,
            "theme_color": WOOD,
            "icons": [icon],
            "shortcuts": [
                {"name": name, "url": f"/{name.lower()}"}
                for name in ("Play", "Analysis", "Puzzles")
            ],
        }
    )
