"""Orders for an event over HTTP, by the token of an owner, an arbiter or a helper.

The web checks their type and length; the game server reads them, knows the token and the role, and
carries them out. A browser that remembers a password sends it for pages of other sites as well, but
no such page can send JSON here.
"""

import base64
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mancala.protocol import codec, schemas

from ...model.schemas.event_orders import EventOrder, GivenOrder
from ...model.schemas.views import ErrorView
from ...net.limits.costs import HTTP_QUERY
from ..feed import topics
from ..feed.topics import LiveState
from ..http.budgets import HttpBudgets, address_of
from ..http.responses import JSON, problem
from .endpoints import ROOT

PATH: Final = "/events/{name}/orders"
MOST_BYTES: Final = 16 * 1024
ASK: Final = {"WWW-Authenticate": 'Basic realm="orders for events", charset="UTF-8"'}
MOST_LINE: Final = topics.LONGEST_QUESTION - 1024
"""What an order may take on the feed, where a control character takes six bytes."""
CODES: Final = {
    400: ("bad_request", "The order is invalid; the message gives the reason."),
    401: ("unauthorized", "The name and its token are wanted, as user and password."),
    403: ("forbidden", "The name has no role in the event, or one that may not give this order."),
    404: ("not_found", "There is no such event."),
    409: ("refused", "The order can't be carried out as things stand."),
    413: ("too_long", f"An order holds at most {MOST_BYTES} bytes."),
    415: ("not_json", "The order is sent as application/json."),
    503: ("unavailable", "The token can't be checked now; try again later."),
}


def order_route(live_state: LiveState, budgets: HttpBudgets) -> Route:

    async def give(request: Request) -> Response:
        await budgets.pay(request.scope, HTTP_QUERY)
        if request.headers.get("Content-Type", "").partition(";")[0].strip().lower() != JSON:
            return _refusal(415, CODES[415][1])
        bearer = _bearer(request.headers.get("Authorization", ""))
        if bearer is None:
            return _refusal(401, CODES[401][1])
        body = await _body(request)
        if body is None:
            return _refusal(413, CODES[413][1])
        event, order = request.path_params["name"], body.decode(errors="replace")
        given = GivenOrder(event, *bearer, order, address_of(request.scope))
        if len(codec.to_line(given)) > MOST_LINE:
            return _refusal(413, "the order is too long; a control character counts six times")
        answer = await live_state.ask(topics.ORDER, given)
        if answer.result is None:
            return _refusal(answer.status, answer.error)
        return Response(codec.to_json(answer.result), answer.status, NOT_KEPT, JSON)

    return Route(ROOT + PATH, give, methods=["POST"])


NOT_KEPT: Final = {"Cache-Control": "no-store"}


def _refusal(status: int, why: str) -> Response:
    headers = NOT_KEPT | (ASK if status == HTTPStatus.UNAUTHORIZED else {})
    return Response(problem(CODES[status][0], why), status, headers, JSON)


def _bearer(authorization: str) -> tuple[str, str] | None:
    """Return the name and the token of who asks, from its basic authentication."""
    scheme, _, given = authorization.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        name, _, token = base64.b64decode(given.strip(), validate=True).decode().partition(":")
    except ValueError:
        return None
    return (name, token) if name and token else None


async def _body(request: Request) -> bytes | None:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            return None
    return body


def operation(event: dict[str, Any], others: Mapping[str, str]) -> dict[str, Any]:
    """Return how the OpenAPI document describes an order, with what other refusals there are.

    ``event`` is how it describes the event's name in the path.
    """
    error = {JSON: {"schema": {"$ref": f"#/components/schemas/{ErrorView.__name__}"}}}
    refusals = {**{str(status): said for status, (_, said) in CODES.items()}, **others}
    order = schemas.components(EventOrder)[EventOrder.__name__]
    return {
        "operationId": "order_event",
        "summary": "Give an order for an event, as `mancala event` does; by a role's token.",
        "parameters": [event],
        "security": [{"token": []}],
        "requestBody": {"required": True, "content": {JSON: {"schema": order}}},
        "responses": {
            "200": {
                "description": "What the command prints with `--json`.",
                "content": {JSON: {"schema": {"type": "object"}}},
            },
            **{
                status: {"description": said, "content": error} for status, said in refusals.items()
            },
        },
    }
