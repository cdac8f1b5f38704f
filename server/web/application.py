"""The web application, composed: the API and its document, health, metrics and the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
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
from server.model.schemas import Health, ServerView
from server.store.archive import Archive
from server.web import openapi
from server.web.api import ENDPOINTS, Api, Endpoint, Parameters
from server.web.documentation import documentation_routes
from server.web.live_state import LiveState
from server.web.metrics import CONTENT_TYPE, Metrics
from server.web.page import files
from server.web.responses import (
    JSON,
    BadRequestError,
    NotFoundError,
    NotLiveError,
    SecurityHeaders,
    cacheable,
    error_response,
    refuse_bad_request,
    refuse_http,
    refuse_not_found,
    refuse_not_live,
    uncached,
)

Handler = Callable[[Request], Awaitable[Response]]

INDEX: Final = "index.html"


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of the web's responses.

    Attributes:
        live_state: state of the running server.
        archive: stored games, matches and bots.
        metrics: the server's metrics.
        log: logs internal errors.
    """

    live_state: LiveState
    archive: Archive
    metrics: Metrics
    log: Log


def application(sources: Sources, documentation: Path | None = None) -> ASGIApp:
    """Return the web application of a server.

    Args:
        sources: the sources of the responses.
        documentation: the folder of the rendered documentation, shown if it holds any.
    """
    documents = () if documentation is None else documentation_routes(documentation)

    def refuse_fault(request: Request, error: Exception) -> Response:
        sources.log.warning("web request failed", path=request.url.path, error=repr(error))
        return error_response(500, "internal", "internal error; the server's log has the details")

    app = Starlette(
        routes=[
            *_api_routes(sources),
            *_operation_routes(sources),
            *_page_routes(),
            *documents,
        ],
        exception_handlers={
            HTTPException: refuse_http,
            NotFoundError: refuse_not_found,
            NotLiveError: refuse_not_live,
            BadRequestError: refuse_bad_request,
            Exception: refuse_fault,
        },
    )
    app.router.redirect_slashes = False
    return SecurityHeaders(app, connect=_websocket_sources(sources.live_state.about()))


def _websocket_sources(about: ServerView) -> str:
    """Return the CSP sources for websockets: the game port, on any host name."""
    port = about.websocket_port
    return about.websocket or f"ws://*:{port} wss://*:{port}"


# The API


def _api_routes(sources: Sources) -> list[Route]:
    api = Api(sources.live_state, sources.archive)
    document = codec.to_json(openapi.document())

    async def describe(request: Request) -> Response:
        return cacheable(request, document, JSON)

    return [
        *(Route(openapi.ROOT + each.path, _handler(api, each)) for each in ENDPOINTS),
        Route(f"{openapi.ROOT}/openapi.json", describe),
    ]


def _handler(api: Api, endpoint: Endpoint[Any]) -> Handler:
    async def handle(request: Request) -> Response:
        found = await endpoint.handler(api, _parameters(request, endpoint.parameters))
        response = cacheable(request, codec.to_json(found), JSON)
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
        return msgspec.convert(named, kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadRequestError(str(error)) from None


# Operations


def _operation_routes(sources: Sources) -> list[Route]:
    live_state, metrics = sources.live_state, sources.metrics

    async def health(_request: Request) -> Response:
        return uncached(Health(status="ok"))

    async def readiness(_request: Request) -> Response:
        found = await live_state.readiness()
        return uncached(found, 200 if found.ready else 503)

    async def expose(_request: Request) -> Response:
        metrics.connections.set(live_state.connections)
        metrics.games_running.set(live_state.about().games_running)
        metrics.outbox_depth.set(await sources.archive.outbox_depth())
        return Response(metrics.text(), media_type=CONTENT_TYPE)

    return [
        Route("/healthz", health),
        Route("/readyz", readiness),
        Route("/metrics", expose),
    ]


# The page


def _page_routes() -> list[Route]:
    page = files()

    async def send(request: Request) -> Response:
        name = request.path_params.get("name", INDEX)
        if name not in page:
            raise NotFoundError(f"the page has no file {name}")
        return cacheable(request, page[name].body, page[name].media_type)

    return [Route("/", send), Route("/page/{name}", send)]
