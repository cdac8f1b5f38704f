"""The pages: one address for each thing that can be shown, with its data inside.

Each response carries the API's answers that its scripts begin with, so one request opens a page.
An answer that can't be had now is left out, and the scripts ask for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from pathlib import Path  # noqa: TID251  # the type; a plug-in names the file
from typing import Final

from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mancala.plugins import Plugged, tell

from ..api.answers import Answers, path_of
from ..api.feeds import FEED, feed_routes
from ..feed.topics import UnavailableError
from ..http.responses import BadRequestError, Body, NotFoundError, NotReviewedError, policy, problem
from ..languages import CHOICE, LANGUAGES, language_of
from ..static import MEDIA_TYPES, File, modules_of
from .picture_routes import picture_routes
from .shell import EMBED, HTML, RECORD, ROOT, Need, Page, Shell

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

ABOUT: Final = Need("")
GAME: Final = tuple(map(Need, (RECORD, f"{RECORD}/neighbours", f"{RECORD}/review")))
PAGES: Final = (
    Page(
        *("home", "/", "stage.js", "Now"),
        (
            Need("/stage"),
            Need("/games", {"status": "running", "limit": "20"}),
            Need("/games", {"status": "over", "limit": "10"}),
            Need("/ladders"),
            Need("/events"),
        ),
    ),
    Page("stage", "/stage", "stage.js", "Stage", (Need("/stage"),), kind="projector"),
    Page("ladders", "/ladders", "lists.js", "Ladders", (Need("/ladders"),)),
    Page(
        *("ladder", "/ladders/{name}", "lists.js", "Ladder {{name}}"),
        (
            Need("/ladders/{name}/standings"),
            Need("/ladders/{name}/superiority"),
            Need("/games", {"ladder": "{name}", "limit": "20"}),
        ),
        feed=FEED,
    ),
    Page(
        *("games", "/games", "search.js", "Games"),
        (
            Need(
                "/games",
                passed=(
                    *("bot", "opponent", "version", "ladder"),
                    *("status", "result", "reason", "since", "until"),
                ),
            ),
        ),
    ),
    Page("play", "/play", "play.js", "Play", (Need("/opponents"),)),
    Page("puzzles", "/puzzles", "puzzles.js", "Puzzles", (Need("/puzzles"),)),
    Page("lesson", "/lesson", "puzzles.js", "A first lesson"),
    Page("takePart", "/take-part", "take_part.js", "Take part", (Need("/terms"),)),
    Page("analysis", "/analysis", "analysis.js", "Analysis"),
    Page("game", "/games/{game}", "game.js", "{{players}}", GAME, may_be_framed=True),
    Page(
        "game",
        "/games/{game}/{ply:ply}",
        "game.js",
        "{{players}}, ply {{ply}}",
        GAME,
        may_be_framed=True,
    ),
    Page("bots", "/bots", "lists.js", "Bots", (Need("/bots"),)),
    Page(
        *("bot", "/bots/{name}", "lists.js", "{{name}}"),
        (
            Need("/bots/{name}"),
            Need("/games", {"bot": "{name}", "limit": "20"}),
            Need("/bots/{name}/next"),
        ),
        feed=FEED,
    ),
    Page(
        *("botHistory", "/bots/{name}/history", "history.js", "History of {{name}}"),
        (Need("/bots/{name}/ratings"), Need("/bots/{name}/statistics")),
    ),
    Page(
        *("versus", "/bots/{name}/vs/{other}", "history.js", "{{name}} against {{other}}"),
        (
            Need("/bots/{name}/vs/{other}"),
            Need("/games", {"bot": "{name}", "opponent": "{other}", "limit": "20"}),
        ),
    ),
    Page(
        *("ladderHistory", "/ladders/{name}/history", "history.js", "History of ladder {{name}}"),
        (Need("/ladders/{name}/ratings"),),
    ),
    Page("log", "/log", "lists.js", "The organiser's log", (Need("/log"),)),
    Page("events", "/events", "events.js", "Events", (Need("/events"), Need("/elsewhere"))),
    Page(
        *("event", "/events/{name}", "events.js", "Event {{name}}", (Need("/events/{name}"),)),
        feed=FEED,
    ),
    Page(
        *("eventProjector", "/events/{name}/projector", "events.js"),
        "Event {{name}}, for a projector",
        (Need("/events/{name}"),),
        kind="projector",
    ),
    Page("tests", "/tests", "elsewhere.js", "Tests of engines", (Need("/tests"),)),
    Page(
        *("elsewhere", "/elsewhere/{event}", "elsewhere.js", "Played elsewhere"),
        (Need("/elsewhere/{event}"),),
    ),
    Page("match", "/matches/{match}", "lists.js", "Match {{match}}", (Need("/matches/{match}"),)),
)


PLUGGED: Final = Plugged("pages", Page, {page.name: page for page in PAGES})


def plugged(found: dict[str, File]) -> Iterator[Page]:
    """Yield the pages of plug-ins, and add their files; name on stderr what can't be shown."""
    for page in PLUGGED.loaded():
        if page.script is None:
            continue
        try:
            found[page.module] = _module_of(page, page.script, found)
        except (OSError, ValueError) as error:
            tell(f"the page {page.path} can't be shown: {error}")
        else:
            yield page


def _module_of(page: Page, script: Path, found: Mapping[str, File]) -> File:
    """Return the file of a page's module.

    Raises:
        OSError: when it can't be read.
        ValueError: when it imports what there is not, or another page has its address or name.
    """
    file = File(script.read_bytes(), MEDIA_TYPES[".js"])
    if page.module in found or page.path in [each.path for each in PAGES]:
        raise ValueError("another page has its address, or the name of its module")
    try:
        modules_of({**found, page.module: file}, page.module)
    except KeyError as error:
        raise ValueError(f"its module imports {error}, which there is not") from None
    return file


def page_routes(
    pages: Iterable[Page], answers: Answers, shell: Shell, connect: Callable[[], str]
) -> list[Route]:
    """Return the routes of all pages and of their files, which connect to these websockets."""

    async def send_file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in shell.files:
            raise NotFoundError(f"the page has no file {name}")
        response = shell.files[name].respond(request)
        if request.path_params.get("version") == shell.version:
            response.headers["Cache-Control"] = KEPT
        response.headers["Content-Security-Policy"] = FILES_POLICY
        return response

    return [
        *picture_routes(answers),
        *feed_routes(answers),
        *(Route(page.path, _handler(page, shell, answers, connect)) for page in pages),
        Route(f"{ROOT}/{{name}}", send_file),
        Route(f"{ROOT}/{{version}}/{{name}}", send_file),
    ]


def _handler(page: Page, shell: Shell, answers: Answers, connect: Callable[[], str]) -> Handler:
    async def send(request: Request) -> Response:
        named = {name: str(value) for name, value in request.path_params.items()}
        given = {**dict(request.query_params), **named}
        found: dict[str, bytes] = {}
        status = 200
        for need in (*page.needs, ABOUT):
            wanted = {name: named[name] for name in named if f"{{{name}}}" in need.path}
            query = need.query_of(given)
            address = path_of(need.path, wanted, query)
            try:
                body = await answers.at(need.path, wanted, query, request.scope)
                found[address] = body.plain
            except (BadRequestError, NotFoundError, NotReviewedError) as error:
                found[address] = problem(error)
                status = 404 if need in page.needs[:1] else status
            except UnavailableError:
                continue  # the scripts ask again until the game server answers
        origin = f"{request.url.scheme}://{request.url.netloc}"
        html = shell.html(page, given, found, origin, language_of(request))
        response = Body(html, HTML).respond(request, status)
        response.headers["Vary"] += ", Accept-Language, Cookie"
        if given.get(CHOICE) in LANGUAGES:
            response.set_cookie(CHOICE, given[CHOICE], YEAR_S, httponly=True, samesite="lax")
        if EMBED in given and page.may_be_framed:
            response.headers["Content-Security-Policy"] = policy(connect(), frames="*")
        return response

    return send
