"""The page's HTML: one address for each thing that can be shown, with its data inside.

Each response carries the API's answers that its scripts begin with, so one request opens a page.
The answers stand in a script block of JSON, which a browser does not run; scripts and styles come
only from files. An answer that can't be had now is left out, and the scripts ask for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from html import escape
from string import Template
from types import MappingProxyType
from typing import Final, NamedTuple

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from protocol import codec
from protocol.record import GameRecord, to_text
from protocol.results import Contestant
from server.web.answers import Answers, path_of
from server.web.live_state import UnavailableError
from server.web.pictures import board_picture, game_picture
from server.web.responses import (
    BadRequestError,
    Body,
    NotFoundError,
    NotReviewedError,
    policy,
    problem,
)
from server.web.static import File, files, modules_of, version_of

INDEX: Final = "index.html"
TEMPLATES: Final = ".html"
"""The end of the names of files that are filled in before they are sent, or written as reports."""
ROOT: Final = "/page"
KEPT: Final = "public, max-age=31536000, immutable"
HTML: Final = "text/html; charset=utf-8"
MAIN: Final = "main.js"
EMBED: Final = "embed"
"""The query parameter that leaves out all but the thing itself, for frames on other sites."""
TEXT: Final = "text/plain; charset=utf-8"
SVG: Final = "image/svg+xml"
PRODUCT: Final = "Mancala Arena"


class Need(NamedTuple):
    """An answer of the API that a page begins with.

    Attributes:
        path: the endpoint's path; the page's own parameters fill its braces.
        query: its other parameters.
        passed: parameters of the page that it gets as well, as far as they are given.
    """

    path: str
    query: Mapping[str, str] = MappingProxyType({})
    passed: tuple[str, ...] = ()

    def query_of(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return its other parameters, on a page with these parameters."""
        passed = {name: given[name] for name in self.passed if given.get(name)}
        return {name: text.format_map(given) for name, text in self.query.items()} | passed


class Page(NamedTuple):
    """A page.

    Attributes:
        name: the function of the scripts that shows it.
        path: its address, with names in braces.
        module: the module of that function.
        title: its title, in which names in braces are replaced.
        needs: the answers that it begins with; the first one decides whether the page exists.
        may_be_framed: whether other sites may show it in a frame, with ``?embed``.
    """

    name: str
    path: str
    module: str
    title: str
    needs: tuple[Need, ...] = ()
    may_be_framed: bool = False


Handler = Callable[[Request], Awaitable[Response]]

RECORD: Final = "/games/{game}"
ABOUT: Final = Need("")
GAME: Final = tuple(map(Need, (RECORD, f"{RECORD}/neighbours", f"{RECORD}/review")))
PAGES: Final = (
    Page(
        *("now", "/", "lists.js", "Now"),
        (
            Need("/games", {"status": "running", "limit": "20"}),
            Need("/games", {"status": "over", "limit": "10"}),
            Need("/ladders"),
        ),
    ),
    Page("ladders", "/ladders", "lists.js", "Ladders", (Need("/ladders"),)),
    Page(
        *("ladder", "/ladders/{name}", "lists.js", "Ladder {name}"),
        (
            Need("/ladders/{name}/standings"),
            Need("/ladders/{name}/superiority"),
            Need("/games", {"ladder": "{name}", "limit": "20"}),
        ),
    ),
    Page(
        *("games", "/games", "lists.js", "Games"),
        (Need("/games", passed=("bot", "ladder", "status")),),
    ),
    Page("play", "/play", "play.js", "Play", (Need("/opponents"),)),
    Page("takePart", "/take-part", "take_part.js", "Take part", (Need("/terms"),)),
    Page("analysis", "/analysis", "analysis.js", "Analysis"),
    Page("game", "/games/{game}", "game.js", "{players}", GAME, may_be_framed=True),
    Page(
        "game",
        "/games/{game}/{ply:int}",
        "game.js",
        "{players}, ply {ply}",
        GAME,
        may_be_framed=True,
    ),
    Page("bots", "/bots", "lists.js", "Bots", (Need("/bots"),)),
    Page(
        *("bot", "/bots/{name}", "lists.js", "{name}"),
        (Need("/bots/{name}"), Need("/games", {"bot": "{name}", "limit": "20"})),
    ),
    Page("match", "/matches/{match}", "lists.js", "Match {match}", (Need("/matches/{match}"),)),
)


class _Players(Struct):
    """The part of a record that a title needs."""

    players: tuple[Contestant, Contestant]


class _Server(Struct):
    """The part of the server's description that a title needs."""

    server: str


class Shell:
    """The HTML around every page, and the files that it refers to."""

    def __init__(self, found: Mapping[str, File]) -> None:
        """Prepare the pages.

        Args:
            found: the page's files.
        """
        self.version = version_of(found)
        self.files = {
            name: Body(each.body, each.media_type)
            for name, each in found.items()
            if not name.endswith(TEMPLATES)
        }
        self._template = Template(found[INDEX].body.decode())
        self._modules = {page.module: modules_of(found, MAIN, page.module) for page in PAGES}

    def html(self, page: Page, given: Mapping[str, str], answers: Mapping[str, bytes]) -> bytes:
        """Return a page.

        Args:
            page: the page.
            given: its parameters.
            answers: the API's answers that it begins with, by address.
        """
        root = f"{ROOT}/{self.version}"
        preload = '<link rel="modulepreload" href="{}/{}">'
        modules = self._modules[page.module]
        server = _server_of(answers)
        data = b'{"page":%b,"module":%b,"parameters":%b,"answers":{%b}}' % (
            codec.to_json(page.name),
            codec.to_json(f"./{page.module}"),
            codec.to_json(given),
            b",".join(b"%b:%b" % (codec.to_json(path), body) for path, body in answers.items()),
        )
        return self._template.substitute(
            title=escape(f"{_title(page, given, answers)} · {server}"),
            server=escape(server),
            root=root,
            preloads="\n    ".join(preload.format(root, name) for name in modules),
            kind="embed" if EMBED in given else "whole",
            base='<base target="_blank">' if EMBED in given else "",
            data=data.decode().replace("<", "\\u003c"),
        ).encode()


def page_routes(answers: Answers, connect: Callable[[], str]) -> list[Route]:
    """Return the routes of all pages and of their files.

    Args:
        answers: the API's.
        connect: returns the CSP sources of websockets.
    """
    shell = Shell(files())

    async def send_file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in shell.files:
            raise NotFoundError(f"the page has no file {name}")
        response = shell.files[name].respond(request)
        if request.path_params.get("version") == shell.version:
            response.headers["Cache-Control"] = KEPT
        return response

    return [
        *_picture_routes(answers),
        *(Route(page.path, _handler(page, shell, answers, connect)) for page in PAGES),
        Route(f"{ROOT}/{{name}}", send_file),
        Route(f"{ROOT}/{{version}}/{{name}}", send_file),
    ]


def _picture_routes(answers: Answers) -> list[Route]:
    """Return the routes of a game's text and pictures."""

    async def record_of(request: Request) -> GameRecord:
        named = {"game": request.path_params["game"]}
        body = await answers.at(RECORD, named, {}, request.scope)
        return codec.from_json(body.plain, GameRecord)

    async def text(request: Request) -> Response:
        return Body(to_text(await record_of(request)).encode(), TEXT).respond(request)

    async def still(request: Request) -> Response:
        ply = request.path_params["ply"]
        try:
            drawn = board_picture(await record_of(request), ply)
        except IndexError:
            raise NotFoundError(f"the game has no position {ply}") from None
        return _picture(request, drawn)

    async def animated(request: Request) -> Response:
        record = await record_of(request)
        return _picture(request, await asyncio.to_thread(game_picture, record))

    return [
        Route(f"{RECORD}.txt", text),
        Route(f"{RECORD}.svg", animated),
        Route(f"{RECORD}/{{ply:int}}.svg", still),
    ]


def _picture(request: Request, drawn: str) -> Response:
    response = Body(drawn.encode(), SVG).respond(request)
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response


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
        response = Body(shell.html(page, given, found), HTML).respond(request, status)
        if EMBED in given and page.may_be_framed:
            response.headers["Content-Security-Policy"] = policy(connect(), frames="*")
        return response

    return send


def _title(page: Page, given: Mapping[str, str], answers: Mapping[str, bytes]) -> str:
    if "{players}" not in page.title:
        return page.title.format_map(given)
    try:
        found = codec.from_json(answers[path_of(RECORD, given)], _Players)
    except (KeyError, codec.DecodeError):
        return "No such game"
    names = " against ".join(player.name for player in found.players)
    return page.title.format_map({**given, "players": names})


def _server_of(answers: Mapping[str, bytes]) -> str:
    about = answers.get(ABOUT.path)
    return PRODUCT if about is None else codec.from_json(about, _Server).server
