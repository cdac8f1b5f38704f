"""How each payload is delivered, read and described."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from .. import codec
from .events import EventGameResult, EventRoundPaired, EventStatus, EventTable
from .payloads import (
    GameResult,
    GameReviewed,
    GamesAnnulled,
    LadderStandings,
    LiveMove,
    MatchResult,
    OrganiserActed,
    Payload,
    ServerNotice,
    Status,
)

AnyPayload = (
    GameResult
    | MatchResult
    | LadderStandings
    | Status
    | LiveMove
    | GameReviewed
    | GamesAnnulled
    | ServerNotice
    | EventStatus
    | EventTable
    | EventRoundPaired
    | EventGameResult
    | OrganiserActed
)


class Delivery(NamedTuple):
    """How a payload is published.

    Attributes:
        qos: MQTT's quality of service: 0 at most once, 1 at least once.
        retain: whether the broker keeps the last one for later subscribers.
    """

    qos: int
    retain: bool


DELIVERY: Final[dict[type[Payload], Delivery]] = {
    GameResult: Delivery(qos=1, retain=False),
    MatchResult: Delivery(qos=1, retain=False),
    LadderStandings: Delivery(qos=1, retain=True),
    Status: Delivery(qos=1, retain=True),
    LiveMove: Delivery(qos=0, retain=False),
    GameReviewed: Delivery(qos=1, retain=False),
    GamesAnnulled: Delivery(qos=1, retain=False),
    ServerNotice: Delivery(qos=1, retain=True),
    EventStatus: Delivery(qos=1, retain=True),
    EventTable: Delivery(qos=1, retain=True),
    EventRoundPaired: Delivery(qos=1, retain=False),
    EventGameResult: Delivery(qos=1, retain=False),
    OrganiserActed: Delivery(qos=1, retain=False),
}


def decode(payload: bytes | str) -> AnyPayload:
    """Return the payload in a text, of the kind that its ``schema`` names.

    Raises:
        DecodeError: when it is not JSON or of the wrong shape.
    """
    return codec.from_json(payload, AnyPayload)  # type: ignore[arg-type]  # a union is a type too


def schema(kind: type[Payload]) -> dict[str, Any]:
    """Return the JSON Schema of a payload, complete in itself."""
    (reference,), components = codec.json_schema(kind)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **reference,
        "components": {"schemas": components},
    }
