"""The wire as an AsyncAPI 3.0 document, generated from the message types.

It is meant for generators of clients and other tools; people read ``SPEC.md``. AsyncAPI describes
an application, which here is the server: it *receives* the messages of a client and *sends* the
others. To write the document::

    from mancala.protocol import asyncapi, codec

    text = codec.to_json(asyncapi.document(), indent=True)
"""

from typing import Any, Final, get_args
from urllib.parse import unquote

from msgspec import Struct

from . import schemas
from .messages import VERSION, ClientMessage, Message, ServerMessage
from .results import (
    PAYLOAD_KINDS,
    EventGameResult,
    EventRoundPaired,
    EventStatus,
    EventTable,
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
    Topics,
)

Json = dict[str, Any]

_TOPICS: Final = Topics("{prefix}")
_TOPIC_CHANNELS: Final[dict[str, tuple[str, type[Payload]]]] = {
    "gameResults": (_TOPICS.game_result("{game}"), GameResult),
    "gameMoves": (_TOPICS.game_moves("{game}"), LiveMove),
    "gameReviews": (_TOPICS.game_review("{game}"), GameReviewed),
    "matchResults": (_TOPICS.match_result("{match}"), MatchResult),
    "ladderStandings": (_TOPICS.ladder_standings("{ladder}"), LadderStandings),
    "ladderGames": (_TOPICS.ladder_games("{ladder}"), GameResult),
    "eventStatus": (_TOPICS.event_status("{event}"), EventStatus),
    "eventStandings": (_TOPICS.event_standings("{event}"), EventTable),
    "eventRounds": (_TOPICS.event_rounds("{event}"), EventRoundPaired),
    "eventGames": (_TOPICS.event_games("{event}"), EventGameResult),
    "annulments": (_TOPICS.annulments, GamesAnnulled),
    "notice": (_TOPICS.notice, ServerNotice),
    "log": (_TOPICS.log, OrganiserActed),
    "status": (_TOPICS.status, Status),
}
_PARAMETERS: Final = {
    "prefix": "The first levels, as configured; mancala/<server name> by default.",
    "game": "A game's id, escaped to fill one level.",
    "match": "A match's id, escaped to fill one level.",
    "ladder": "A ladder's name, escaped to fill one level.",
    "event": "An event's name, escaped to fill one level.",
}


def document() -> Json:
    """Return an AsyncAPI 3.0 document of the websocket and the MQTT topics."""
    client, server = get_args(ClientMessage), get_args(ServerMessage)
    kinds = dict.fromkeys((*client, *server, *PAYLOAD_KINDS))
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Mancala Arena",
            "version": "1.0.0",
            "description": f"{VERSION} for bots and spectators, and the results on MQTT.",
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": _servers(),
        "channels": {"conversation": _conversation((*client, *server)), **_topic_channels()},
        "operations": {
            "hear": _operation("receive", "conversation", client, "The messages of a client."),
            "say": _operation("send", "conversation", server, "The messages of the server."),
            **_topic_operations(),
        },
        "components": {
            "messages": {_word(kind): _message(kind) for kind in kinds},
            "schemas": schemas.mapped(schemas.components(*kinds), _as_draft_7),
        },
    }


def _servers() -> Json:
    return {
        "arena": {
            "host": "{address}",
            "protocol": "ws",
            "description": "The match server; one JSON object in each text frame.",
            "variables": {"address": {"default": "127.0.0.1:8765"}},
        },
        "broker": {
            "host": "{address}",
            "protocol": "mqtt",
            "protocolVersion": "3.1.1",
            "description": "The broker that the server publishes to.",
            "variables": {"address": {"default": "127.0.0.1:1883"}},
        },
    }


def _conversation(kinds: tuple[type[Message], ...]) -> Json:
    return {
        "address": "/",
        "servers": [{"$ref": "#/servers/arena"}],
        "description": f"Subprotocol {VERSION}, offered and not demanded.",
        "messages": {_word(kind): _reference(kind) for kind in dict.fromkeys(kinds)},
    }


def _topic_channels() -> Json:
    return {
        name: {
            "address": unquote(address),
            "servers": [{"$ref": "#/servers/broker"}],
            "parameters": {
                key: {"description": meaning}
                for key, meaning in _PARAMETERS.items()
                if f"{{{key}}}" in unquote(address)
            },
            "messages": {_word(kind): _reference(kind)},
        }
        for name, (address, kind) in _TOPIC_CHANNELS.items()
    }


def _topic_operations() -> Json:
    return {
        f"publish{name[0].upper()}{name[1:]}": {
            **_operation("send", name, (kind,), _summary(kind)),
            "bindings": {
                "mqtt": {"qos": kind.qos, "retain": kind.retain, "bindingVersion": "0.2.0"}
            },
        }
        for name, (_, kind) in _TOPIC_CHANNELS.items()
    }


def _operation(action: str, channel: str, kinds: tuple[type[Struct], ...], summary: str) -> Json:
    return {
        "action": action,
        "summary": summary,
        "channel": {"$ref": f"#/channels/{channel}"},
        "messages": [{"$ref": f"#/channels/{channel}/messages/{_word(kind)}"} for kind in kinds],
    }


def _message(kind: type[Struct]) -> Json:
    return {
        "name": _word(kind),
        "summary": _summary(kind),
        "payload": {"$ref": f"#/components/schemas/{kind.__name__}"},
    }


def _reference(kind: type[Struct]) -> Json:
    return {"$ref": f"#/components/messages/{_word(kind)}"}


def _word(kind: type[Struct]) -> str:
    return str(kind.__struct_config__.tag)


def _summary(kind: type[Struct]) -> str:
    return (kind.__doc__ or "").partition("\n")[0]


def _as_draft_7(schema: Json) -> Json:
    """Return an object of a schema with tuples as in JSON Schema draft 7: AsyncAPI builds on it."""
    if "prefixItems" in schema:
        fixed = {key: value for key, value in schema.items() if key != "prefixItems"}
        schema = {**fixed, "items": schema["prefixItems"], "additionalItems": False}
    return schema
