"""The web application, composed: the API and its document, health, metrics and the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from protocol import codec
from protocol.text import find_control
from server.health.log import Log
from server.model.schemas import Health
from server.store.archive import Archive
from server.web import openapi
from server.web.api import ENDPOINTS, Api, Endpoint, Parameters
from server.web.budgets import HttpBudgets, Metered, TooManyRequestsError, refuse_too_many
from server.web.documentation import documentation_routes
from server.web.live_state import LiveState, UnavailableError
from server.web.metrics import CONTENT_TYPE
from server.web.responses import (
    JSON,
    BadRequestError,
    Body,
    NotFoundError,
    NotLiveError,
    SecurityHeaders,
    error_response,
    refuse_bad_request,
    refuse_http,
    refuse_not_found,
    refuse_not_live,
    refuse_unavailable,
    uncached,
)
from server.web.static import files
from server.web.web_metrics import WebMetrics

Handler = Callable[[Request], Awaitable[Response]]

INDEX: Final = "index.html"
KEPT_BODIES: Final = 512
"""Ten megabytes of records and positions at the most."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of the web's responses.

    Attributes:
        live_state: state of the running server.
        archive: stored games, matches and bots.
        log: logs internal errors.
    """

    live_state: LiveState
    archive: Archive
    log: Log


class FinishedGames:
    """The latest bodies about games that are over; these never change."""

    def __init__(self) -> None:
        self._bodies: dict[str, Body] = {}

    def get(self, path: str) -> Body | None:
        """Return a body, which becomes the latest one; None if it is not kept."""
        body = self._bodies.pop(path, None)
        if body is not None:
            self._bodies[path] = body
        return body

    def keep(self, path: str, body: Body) -> None:
        """Keep a body, and drop the one that was not asked for the longest."""
        self._bodies[path] = body
        if len(self._bodies) > KEPT_BODIES:
            del self._bodies[next(iter(self._bodies))]


def application(
    sources: Sources, budgets: HttpBudgets, documentation: Path | None = None
) -> ASGIApp:
    """Return the web application of a server.

    Args:
        sources: the sources of the responses.
        budgets: what each address may ask.
        documentation: the folder of the rendered documentation, shown if it holds any.
    """
    metrics = WebMetrics()
    documents = () if documentation is None else documentation_routes(documentation)

    async def refuse_fault(request: Request, error: Exception) -> Response:
        sources.log.warning("web request failed", path=request.url.path, error=repr(error))
        return error_response(500, "internal", "internal error; the server's log has the details")

    app = Starlette(
        routes=[
            *_api_routes(sources, budgets),
            *_operation_routes(sources, metrics),
            *_page_routes(),
            *documents,
        ],
        exception_handlers={
            HTTPException: refuse_http,
            NotFoundError: refuse_not_found,
            NotLiveError: refuse_not_live,
            BadRequestError: refuse_bad_request,
            UnavailableError: refuse_unavailable,
            TooManyRequestsError: refuse_too_many,
            Exception: refuse_fault,
        },
    )
    app.router.redirect_slashes = False
    sources_of_websockets = partial(_websocket_sources, sources.live_state)
    return SecurityHeaders(
        Metered(app, budgets), connect=sources_of_websockets, responded=metrics.count
    )


def _websocket_sources(live_state: LiveState) -> str:
    """Return the CSP sources for websockets: the game port, on any host name."""
    try:
        about = live_state.about()
    except UnavailableError:
        return ""
    port = about.websocket_port
    return about.websocket or f"ws://*:{port} wss://*:{port}"


# The API


def _api_routes(sources: Sources, budgets: HttpBudgets) -> list[Route]:
    api = Api(sources.live_state, sources.archive)
    document = Body(codec.to_json(openapi.document()), JSON)
    finished = FinishedGames()

    async def describe(request: Request) -> Response:
        return document.respond(request)

    handlers = {each.path: _handler(api, each, budgets, finished) for each in ENDPOINTS}
    return [
        *(Route(openapi.ROOT + path, handler) for path, handler in handlers.items()),
        Route(f"{openapi.ROOT}/", handlers[""]),
        Route(f"{openapi.ROOT}/openapi.json", describe),
    ]


def _handler(
    api: Api, endpoint: Endpoint[Any], budgets: HttpBudgets, finished: FinishedGames
) -> Handler:
    async def handle(request: Request) -> Response:
        parameters = _parameters(request, endpoint.parameters)
        body = finished.get(request.url.path)
        if body is None:
            await budgets.pay(request.scope, endpoint.price)
            found = await endpoint.handler(api, parameters)
            body = Body(codec.to_json(found), JSON)
            if endpoint.is_final(found):
                finished.keep(request.url.path, body)
        response = body.respond(request)
        response.headers["Access-Control-Allow-Origin"] = "*"
        return response

    return handle


def _parameters(request: Request, kind: type[Parameters]) -> Parameters:
    given = request.query_params.multi_items()
    query = dict(given)
    if len(query) < len(given) or query.keys() & request.path_params.keys():
        raise BadRequestError("a parameter is given twice")
    named = {**query, **request.path_params}
    finding = find_control(named)
    if finding is not None:
        raise BadRequestError(str(finding))
    try:
        found = msgspec.convert(named, kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadRequestError(str(error)) from None
    for name in query:
        if getattr(found, name) is None:  # msgspec takes the text "null" for None
            raise BadRequestError(f"{name}: must not be null")
    return found


# Operations


def _operation_routes(sources: Sources, metrics: WebMetrics) -> list[Route]:
    live_state = sources.live_state

    async def health(_request: Request) -> Response:
        if live_state.is_alive():
            return uncached(Health(status="ok"))
        return uncached(Health(status="the game server gives no sign of life"), 503)

    async def readiness(_request: Request) -> Response:
        found = await live_state.readiness()
        return uncached(found, 200 if found.ready else 503)

    async def expose(_request: Request) -> Response:
        metrics.outbox_depth.set(await sources.archive.outbox_depth())
        try:
            games = await live_state.metrics()
        except UnavailableError:
            games = ""
        metrics.game_server_up.set(bool(games))
        return Response(games.encode() + metrics.text(), media_type=CONTENT_TYPE)

    return [
        Route("/healthz", health),
        Route("/readyz", readiness),
        Route("/metrics", expose),
    ]


# The page


def _page_routes() -> list[Route]:
    page = {name: Body(each.body, each.media_type) for name, each in files().items()}

    async def send(request: Request) -> Response:
        name = request.path_params.get("name", INDEX)
        if name not in page:
            raise NotFoundError(f"the page has no file {name}")
        return page[name].respond(request)

    return [Route("/", send), Route("/page/{name}", send)]
