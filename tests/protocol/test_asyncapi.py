"""The AsyncAPI document: valid by the official schema, and it describes what is really said."""

import json
from typing import Any, Final, get_args

import jsonschema
import pytest

from mancala.protocol import codec
from mancala.protocol.asyncapi import document
from mancala.protocol.messages import ClientMessage, Message, ServerMessage
from mancala.protocol.results import PAYLOAD_KINDS, Payload, Topics
from tests.protocol.samples import SAMPLES
from tests.protocol.test_results import PAYLOADS
from tests.sources import ROOT

DATA: Final = ROOT / "tests" / "data" / "asyncapi"
DOCUMENT: Final[dict[str, Any]] = json.loads(codec.to_json(document()))


def test_the_document_is_valid_asyncapi() -> None:
    """The document is valid by the official JSON Schema of AsyncAPI 3.0."""
    schema = json.loads((DATA / "asyncapi-3.0.0.schema.json").read_text())
    jsonschema.Draft7Validator(schema).validate(DOCUMENT)


def test_every_reference_leads_somewhere() -> None:
    """Every reference leads to a part of the document."""
    for reference in references(DOCUMENT):
        assert resolve(reference) is not None


def test_every_message_and_payload_is_described() -> None:
    """Tags on the wire are the document's names of messages, no more and no fewer."""
    kinds = [*get_args(ClientMessage), *get_args(ServerMessage), *PAYLOAD_KINDS]
    assert set(DOCUMENT["components"]["messages"]) == {kind.__struct_config__.tag for kind in kinds}


@pytest.mark.parametrize("message", [*SAMPLES.values(), *PAYLOADS], ids=lambda m: type(m).__name__)
def test_what_is_said_fits_what_is_described(message: Message | Payload) -> None:
    """Real messages and payloads validate against the document's schemas."""
    described = DOCUMENT["components"]["messages"][message.__struct_config__.tag]
    schema = {**described["payload"], "components": DOCUMENT["components"]}
    jsonschema.Draft7Validator(schema).validate(json.loads(codec.to_json(message)))


@pytest.mark.parametrize("pits", [[[4, 4]], [[4, 4]] * 3, {"0": [4, 4]}])
def test_the_document_does_not_allow_just_anything(pits: object) -> None:
    """A state has two rows."""
    schema = {"$ref": "#/components/schemas/State", "components": DOCUMENT["components"]}
    state = {"pits": [[4, 4], [4, 4]], "stores": [0, 0], "current_player": 0}
    jsonschema.Draft7Validator(schema).validate(state)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(schema).validate({**state, "pits": pits})


def test_operations_and_messages_are_named_and_summed_up() -> None:
    """Generators of code make functions of the names, and comments of the summaries."""
    assert set(DOCUMENT["operations"]) == {
        *("hear", "say", "publishGameResults", "publishGameMoves", "publishGameReviews"),
        *("publishMatchResults", "publishLadderStandings", "publishLadderGames", "publishStatus"),
        *(
            "publishAnnulments",
            "publishNotice",
            "publishLog",
            "publishEventStatus",
            "publishEventStandings",
        ),
        *("publishEventRounds", "publishEventGames"),
    }
    assert DOCUMENT["components"]["messages"]["move"]["summary"] == (
        "Answer the ``turn`` with this ``ply``; a ``provisional`` answer may be replaced."
    )
    assert (
        DOCUMENT["operations"]["publishStatus"]["summary"]
        == (DOCUMENT["components"]["messages"]["mancala.status.v1"]["summary"])
    )


def test_the_server_receives_what_clients_say_and_sends_the_rest() -> None:
    """The two directions of the conversation are the two unions."""
    said = {
        name: {reference["$ref"].rpartition("/")[2] for reference in operation["messages"]}
        for name, operation in DOCUMENT["operations"].items()
    }
    assert said["hear"] == {kind.__struct_config__.tag for kind in get_args(ClientMessage)}
    assert said["say"] == {kind.__struct_config__.tag for kind in get_args(ServerMessage)}
    assert DOCUMENT["operations"]["hear"]["action"] == "receive"


def test_topics_in_the_document_are_those_published_to() -> None:
    """Addresses with their parameters filled in are the topics' own."""
    filled = {
        channel["address"].format(prefix="p", game="g", match="m", ladder="l", event="e")
        for name, channel in DOCUMENT["channels"].items()
        if name != "conversation"
    }
    topics = Topics("p")
    assert filled == {
        topics.game_result("g"),
        topics.game_moves("g"),
        topics.game_review("g"),
        topics.match_result("m"),
        topics.ladder_standings("l"),
        topics.ladder_games("l"),
        topics.event_status("e"),
        topics.event_standings("e"),
        topics.event_rounds("e"),
        topics.event_games("e"),
        topics.annulments,
        topics.notice,
        topics.log,
        topics.status,
    }


def references(node: Any) -> list[str]:  # noqa: ANN401  # whatever JSON holds
    if isinstance(node, list):
        return [found for item in node for found in references(item)]
    if not isinstance(node, dict):
        return []
    own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
    return own + [found for value in node.values() for found in references(value)]


def resolve(reference: str) -> object:
    node: Any = DOCUMENT
    for key in reference.removeprefix("#/").split("/"):
        node = node[key]
    return node
