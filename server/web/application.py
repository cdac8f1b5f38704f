"""The web application, composed: the API and its document, health, metrics and the page."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, partial
from pathlib import Path  # noqa: TID251  # the type; the caller names the folder
from typing import Final

from msgspec.structs import replace
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from mancala.protocol import asyncapi, codec, schemas
from mancala.protocol.documents import KINDS

from ..health.log import Log
from ..model.schemas.status import Health
from ..net.hosts import ANY, Hosts
from .api import openapi
from .api.answers import Answers
from .api.api import Api
from .api.endpoints import ENDPOINTS, ROOT
from .api.event_orders import order_route
from .api.feeds import sheet_routes
from .api.game_stream import game_streams
from .feed import topics
from .feed.metrics import CONTENT_TYPE, WebMetrics
from .feed.topics import LiveState, UnavailableError
from .http.budgets import HttpBudgets
from .http.middleware import Entrance, Responses
from .http.responses import JSON, BadRequestError, Body, readable_elsewhere, uncached
from .pages.documentation import documentation_routes, packaged_routes
from .pages.pages import PAGES, page_routes, plugged
from .pages.refusals import ERRORS, Refusals
from .pages.shell import PRODUCT, Shell
from .static import files

Handler = Callable[[Request], Awaitable[Response]]
ALL_HOSTS: Final = Hosts((ANY,))
SCHEMAS: Final = "/schemas"
DOCUMENTS: Final[Mapping[str, Callable[[], object]]] = {
    f"{ROOT}/openapi.json": openapi.document,
    f"{ROOT}/asyncapi.json": asyncapi.document,
    **{f"{SCHEMAS}/{name}": partial(schemas.standalone, kind) for name, kind in KINDS.items()},
}
"""What makes each document, by its path."""


def application(
    api: Api,
    log: Log,
    budgets: HttpBudgets,
    documentation: Path | None = None,
    hosts: Callable[[], Hosts] = lambda: ALL_HOSTS,
) -> ASGIApp:
    """Return the web application of a server, for requests under these host names."""
    metrics = WebMetrics()
    api.archive.on_read = metrics.reads.observe
    answers = Answers(api, budgets)
    websockets = partial(_websocket_sources, api.live_state)
    found = files()
    pages = (*PAGES, *plugged(found))
    shell = Shell(found, pages, partial(_server_name, api.live_state))
    rendered = [] if documentation is None else documentation_routes(documentation)
    refusals = Refusals(shell, log)
    app = Starlette(
        routes=[
            *_api_routes(answers),
            *_document_routes(),
            *game_streams(ROOT, api.live_state, budgets),
            order_route(api.live_state, budgets),
            *_operation_routes(api, metrics),
            *sheet_routes(answers),
            *(rendered or packaged_routes(shell)),
            *page_routes(pages, answers, shell, websockets),  # one may have the address /{x:path}
        ],
        exception_handlers=dict.fromkeys(ERRORS, refusals.answer),
    )
    app.router.redirect_slashes = False
    entrance = Entrance(app, budgets, hosts, refusals.answer)
    return Responses(entrance, log, websockets, metrics.count)


def _server_name(live_state: LiveState) -> str:
    try:
        return live_state.about().server
    except UnavailableError:
        return PRODUCT


def _websocket_sources(live_state: LiveState) -> str:
    """Return the CSP sources for websockets: the game port, on any host name."""
    try:
        about = live_state.about()
    except UnavailableError:
        return ""
    port = about.websocket_port
    return about.websocket or f"ws://*:{port} wss://*:{port}"


def _api_routes(answers: Answers) -> list[Route]:
    handlers = {path: _handler(answers, path) for path in ENDPOINTS}
    routes = [Route(ROOT + path, handler) for path, handler in handlers.items()]
    return [*routes, Route(f"{ROOT}/", handlers[""])]


def _handler(answers: Answers, path: str) -> Handler:
    async def handle(request: Request) -> Response:
        given = request.query_params.multi_items()
        query = dict(given)
        if len(query) < len(given) or query.keys() & request.path_params.keys():
            raise BadRequestError("a parameter is given twice")
        body = await answers.at(path, request.path_params, query, request.scope)
        return readable_elsewhere(body.respond(request))

    return handle


def _document_routes() -> list[Route]:
    """Return the routes of what programs read: OpenAPI, AsyncAPI, and a JSON Schema a message."""

    async def send(request: Request) -> Response:
        body = await asyncio.to_thread(_document, request.url.path)
        return readable_elsewhere(body.respond(request))

    return [Route(path, send) for path in DOCUMENTS]


@cache
def _document(path: str) -> Body:
    """Return a document, made when it is first asked for: all take longer than a start."""
    return Body(codec.to_json(DOCUMENTS[path]()), JSON)


def _operation_routes(api: Api, metrics: WebMetrics) -> list[Route]:
    archive, live_state = api.archive, api.live_state

    async def health(_request: Request) -> Response:
        if live_state.is_alive():
            return uncached(Health(status="ok"))
        return uncached(Health(status="the game server gives no sign of life"), 503)

    async def readiness(_request: Request) -> Response:
        found = await live_state.ask(topics.READINESS)
        found = replace(found, findings=())  # of the machine: for those who reach its own port
        return uncached(found, 200 if found.ready else 503)

    async def expose(_request: Request) -> Response:
        try:
            games = (await live_state.ask(topics.METRICS)).text
        except UnavailableError:
            games = ""
        metrics.set(
            game_server_up=bool(games),
            outbox_depth=await archive.outbox_depth(),
            outbox_bytes=await archive.outbox_bytes(),
            reviews_waiting=await archive.reviews_waiting(),
        )
        return Response(games.encode() + metrics.text(), media_type=CONTENT_TYPE)

    return [Route("/healthz", health), Route("/readyz", readiness), Route("/metrics", expose)]
