"""The web application, composed: the API and its document, health, metrics and the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path  # noqa: TID251  # the type; the caller names the folder
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from mancala.protocol import asyncapi, codec
from mancala.protocol.documents import schema_files

from ..config.events import EventSettings
from ..health.log import Log
from ..model.schemas.status import Health
from ..net.hosts import ANY, Hosts
from ..store.reading.archive import Archive
from .api import openapi
from .api.analyst import Analyst
from .api.answers import Answers
from .api.api import Api
from .api.endpoints import ENDPOINTS, ROOT, Endpoint
from .api.game_stream import game_streams
from .api.sheets import sheet_routes
from .feed import topics
from .feed.live_state import LiveState, UnavailableError
from .feed.metrics import CONTENT_TYPE
from .http.budgets import HttpBudgets, Metered
from .http.own_hosts import OwnHosts
from .http.request_ids import RequestIds
from .http.responses import JSON, BadRequestError, Body, SecurityHeaders, uncached
from .pages.documentation import documentation_routes, packaged_routes
from .pages.installing import installing_routes
from .pages.pages import PAGES, page_routes, plugged
from .pages.refusals import ERRORS, Refusals
from .pages.shell import PRODUCT, Shell
from .static import files
from .web_metrics import WebMetrics

Handler = Callable[[Request], Awaitable[Response]]
ALL_HOSTS: Final = Hosts((ANY,))


def today() -> date:
    """Return the day, in UTC."""
    return datetime.now(UTC).date()  # noqa: TID251  # the roots of the web hand it in from here


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of the web's responses.

    Attributes:
        live_state: state of the running server.
        archive: stored games, matches and bots.
        log: logs internal errors.
        analyst: values positions; None where the organiser wants none.
        events: the settings of the events.
        today: returns the day, in UTC.
    """

    live_state: LiveState
    archive: Archive
    log: Log
    analyst: Analyst | None = None
    events: tuple[EventSettings, ...] = ()
    today: Callable[[], date] = today

    def api(self) -> Api:
        """Return the handlers of the API."""
        return Api(self.live_state, self.archive, self.analyst, self.events, self.today)


def application(
    api: Api,
    sources: Sources,
    budgets: HttpBudgets,
    documentation: Path | None = None,
    hosts: Callable[[], Hosts] = lambda: ALL_HOSTS,
) -> ASGIApp:
    """Return the web application of a server.

    Args:
        api: the handlers of the API.
        sources: the sources of the other responses.
        budgets: what each address may ask.
        hosts: returns the host names of requests that are answered.
        documentation: the folder of the rendered documentation, shown if it holds
            any, else the package's own documents.
    """
    metrics = WebMetrics()
    sources.archive.on_read = metrics.reads.observe
    answers = Answers(api, budgets)
    sources_of_websockets = partial(_websocket_sources, sources.live_state)
    found = files()
    pages = (*PAGES, *plugged(found))
    shell = Shell(found, pages)
    server_name = partial(_server_name, sources.live_state)
    rendered = [] if documentation is None else documentation_routes(documentation)
    documents = rendered or packaged_routes(shell, server_name)
    refusals = Refusals(shell, server_name, sources.log)
    app = Starlette(
        routes=[
            *_api_routes(answers),
            *game_streams(ROOT, sources.live_state, budgets),
            *_operation_routes(sources, metrics),
            *sheet_routes(answers),
            *installing_routes(shell, server_name),
            *page_routes(pages, answers, shell, sources_of_websockets),
            *documents,
        ],
        exception_handlers=dict.fromkeys(ERRORS, refusals.answer),
    )
    app.router.redirect_slashes = False
    guarded = SecurityHeaders(
        Metered(OwnHosts(app, hosts, refusals.answer), budgets, refusals.answer),
        connect=sources_of_websockets,
        responded=metrics.count,
    )
    return RequestIds(guarded, sources.log)


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


# The API


def _api_routes(answers: Answers) -> list[Route]:
    handlers = {each.path: _handler(answers, each) for each in ENDPOINTS.values()}
    return [
        *(Route(ROOT + path, handler) for path, handler in handlers.items()),
        Route(f"{ROOT}/", handlers[""]),
        *_document_routes(),
    ]


SCHEMAS: Final = "/schemas"


def _document_routes() -> list[Route]:
    """Return the routes of what programs read: OpenAPI, AsyncAPI, and a JSON Schema a message."""
    documents = {
        f"{ROOT}/openapi.json": openapi.document(),
        f"{ROOT}/asyncapi.json": asyncapi.document(),
        **{f"{SCHEMAS}/{name}": schema for name, schema in schema_files().items()},
    }
    bodies = {path: Body(codec.to_json(document), JSON) for path, document in documents.items()}

    async def send(request: Request) -> Response:
        response = bodies[request.url.path].respond(request)
        response.headers["Access-Control-Allow-Origin"] = "*"
        return response

    return [Route(path, send) for path in bodies]


def _handler(answers: Answers, endpoint: Endpoint) -> Handler:
    async def handle(request: Request) -> Response:
        given = request.query_params.multi_items()
        query = dict(given)
        if len(query) < len(given) or query.keys() & request.path_params.keys():
            raise BadRequestError("a parameter is given twice")
        body = await answers.of(endpoint, request.path_params, query, request.scope)
        response = body.respond(request)
        response.headers["Access-Control-Allow-Origin"] = "*"
        return response

    return handle


# Operations


def _operation_routes(sources: Sources, metrics: WebMetrics) -> list[Route]:
    live_state = sources.live_state

    async def health(_request: Request) -> Response:
        if live_state.is_alive():
            return uncached(Health(status="ok"))
        return uncached(Health(status="the game server gives no sign of life"), 503)

    async def readiness(_request: Request) -> Response:
        found = await live_state.ask(topics.READINESS)
        return uncached(found, 200 if found.ready else 503)

    async def expose(_request: Request) -> Response:
        metrics.outbox_depth.set(await sources.archive.outbox_depth())
        metrics.outbox_bytes.set(await sources.archive.outbox_bytes())
        metrics.reviews_waiting.set(await sources.archive.reviews_waiting())
        try:
            games = (await live_state.ask(topics.METRICS)).text
        except UnavailableError:
            games = ""
        metrics.game_server_up.set(bool(games))
        return Response(games.encode() + metrics.text(), media_type=CONTENT_TYPE)

    return [
        Route("/healthz", health),
        Route("/readyz", readiness),
        Route("/metrics", expose),
    ]
