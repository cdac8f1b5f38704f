"""The API as an OpenAPI 3.1 document, generated from the structs of requests and responses."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from mancala.protocol import schemas

from ...model.schemas.views import ErrorView
from . import (
    api,  # noqa: F401  # declares the endpoints
    event_orders,
)
from .endpoints import ENDPOINTS, ROOT, Endpoint

Json = dict[str, Any]

NO_CONTROLS: Final = r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff]*$"
CAN_BE_BAD: Final = "The request is invalid; the message gives the reason."
CAN_BE_TOO_MANY: Final = "The address has used up its budget; try again later."
CAN_BE_UNAVAILABLE: Final = "The game server does not answer; try again later."
HEADERS: Final[Json] = {
    "ETag": {"schema": {"type": "string"}, "description": "Identifies these bytes."},
    "Retry-After": {"schema": {"type": "integer"}, "description": "When to try again, in seconds."},
}
CAN_BE_MISSING: Final = "The resource does not exist; the message names it."


def document() -> Json:
    answers = dict.fromkeys([*(endpoint.result for endpoint in ENDPOINTS.values()), ErrorView])
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Mancala Arena",
            "version": "1.0.0",
            "description": "Ladders, bots, games and records of a match server; read-only, but for"
            " orders for an event.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": ROOT}],
        "paths": {
            **{each.path or "/": {"get": _operation(each)} for each in ENDPOINTS.values()},
            event_orders.PATH: {"post": _order()},
        },
        "components": {
            "schemas": schemas.mapped(
                {**_kinds_of_parameters(), **schemas.components(*answers)}, _for_generators
            ),
            "securitySchemes": {"token": {"type": "http", "scheme": "basic"}},
        },
    }


def _for_generators(schema: Json) -> Json:
    """Return an object of a schema without ``items: false``: ``maxItems`` says it to all."""
    return {key: value for key, value in schema.items() if (key, value) != ("items", False)}


def _kinds_of_parameters() -> Json:
    """Return the schemas that parameters refer to: their own types are no object of the API."""
    kinds = dict.fromkeys(endpoint.parameters for endpoint in ENDPOINTS.values())
    found = schemas.components(*kinds)
    return {name: each for name, each in found.items() if name not in {k.__name__ for k in kinds}}


def _operation(endpoint: Endpoint) -> Json:
    later = ("Retry-After",)
    responses = {
        "200": _response("The result.", endpoint.result, headers=("ETag",)),
        "304": {"description": "Not changed since the ETag given in If-None-Match."},
        "400": _response(CAN_BE_BAD, ErrorView),
    }
    if endpoint.can_be_missing or "ladder" in endpoint.parameters.__struct_fields__:
        responses["404"] = _response(CAN_BE_MISSING, ErrorView)
    responses["429"] = _response(CAN_BE_TOO_MANY, ErrorView, headers=later)
    if endpoint.needs_game_server:
        responses["503"] = _response(CAN_BE_UNAVAILABLE, ErrorView, headers=later)
    operation = {
        "operationId": endpoint.handler.__name__,
        "summary": (endpoint.handler.__doc__ or "").strip(),
        "responses": responses,
    }
    schema = schemas.components(endpoint.parameters)[endpoint.parameters.__name__]
    fields, required = schema.get("properties", {}), schema.get("required", ())
    found = [
        _parameter(endpoint, *each, is_required=each[0] in required) for each in fields.items()
    ]
    return {**operation, "parameters": found} if found else operation


def _order() -> Json:
    (event,) = _operation(ENDPOINTS["/events/{name}"])["parameters"]
    refusals = {"429": CAN_BE_TOO_MANY, "503": CAN_BE_UNAVAILABLE}
    return event_orders.operation(event, refusals)


def _parameter(endpoint: Endpoint, name: str, described: Json, *, is_required: bool) -> Json:
    schema = dict(described)
    if "anyOf" in schema:  # an optional query parameter is absent instead of null
        (kind,) = (kind for kind in schema.pop("anyOf") if kind != {"type": "null"})
        schema = {**kind, **{key: text for key, text in schema.items() if key == "description"}}
    description = schema.pop("description")
    if schema.get("type") == "string" and "pattern" not in schema:
        schema["pattern"] = NO_CONTROLS
    return {
        "name": name,
        "in": "path" if f"{{{name}}}" in endpoint.path else "query",
        "required": is_required,
        "description": description,
        "schema": schema,
    }


def _response(description: str, kind: type[Struct], *, headers: Sequence[str] = ()) -> Json:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{kind.__name__}"}}}
    response: Json = {"description": description, "content": content}
    if headers:
        response["headers"] = {name: HEADERS[name] for name in headers}
    return response
