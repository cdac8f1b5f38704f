"""The schemas: every type named, every field described, by the docstrings and by SPEC.md."""

import json
from functools import cache
from typing import Any

import jsonschema
import pytest

from mancala.protocol import asyncapi, codec, schemas
from mancala.protocol.documents import schema_files
from mancala.protocol.messages import Evidence, MatchOver, Message, Seek, Turn, Watch
from mancala.protocol.results import GameResult, Payload
from tests.protocol.samples import SAMPLES
from tests.protocol.test_results import PAYLOADS

files = cache(schema_files)


@cache
def components() -> dict[str, Any]:
    found: dict[str, Any] = asyncapi.document()["components"]["schemas"]
    return found


def test_every_type_and_field_is_described() -> None:
    """Neither is left without a sentence."""
    for name, schema in components().items():
        assert schema["title"] == name
        assert schema["description"]
        for field, described in schema.get("properties", {}).items():
            assert len(described.get("description", "")) > 5, (name, field)
            assert described["description"].endswith((".", "?")), (name, field)


def test_every_type_inside_a_field_is_named_and_no_other() -> None:
    """A choice of types has a title, which generators of code take for its name."""
    for name, schema in components().items():
        for field, described in schema.get("properties", {}).items():
            if {"anyOf", "enum"} & described.keys():
                assert described["title"].startswith(name), (name, field)
            else:
                assert "title" not in described, (name, field)


def test_a_field_is_described_by_the_docstring_or_the_document() -> None:
    """The words are not written twice; a type's description leaves its fields out."""
    found = schemas.components(Evidence, Turn, MatchOver, GameResult)
    assert found["Evidence"]["properties"]["lag_ms"]["description"] == "The lag credit."
    assert found["Evidence"]["description"] == "The facts behind a forced end."
    assert "lag credit is added" in found["Turn"]["properties"]["deadline_ms"]["description"]
    assert "draw" in found["MatchOver"]["properties"]["score"]["description"]
    assert "second delivery" in found["GameResult"]["properties"]["event_id"]["description"]


def test_each_message_payload_and_record_has_a_file() -> None:
    """They are named after what stands in `type` or `schema`."""
    assert {"hello.json", "game_start.json", "mancala.game_record.v1.json"} <= set(schema_files())


@pytest.mark.parametrize("message", [*SAMPLES.values(), *PAYLOADS], ids=lambda m: type(m).__name__)
def test_what_is_said_fits_its_file(message: Message | Payload) -> None:
    """Real messages and payloads are valid by the file alone."""
    schema = files()[f"{message.__struct_config__.tag}.json"]
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(codec.to_json(message)))


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "seek", "clock": {"move_ms": 0}},
        {"type": "seek", "clock": {"move_ms": None}},
        {"type": "seek", "clock": {"move_ms": None, "bank_ms": None}},
        {"type": "seek", "clock": {"bank_ms": 7 * 24 * 3600 * 1000 + 1}},
        {"type": "seek", "clock": {"increment_ms": -1}},
        {"type": "seek", "rules": {"pits": 0}},
        {"type": "seek", "rules": {"pits": 17, "seeds": 1}},
        {"type": "seek", "rules": {"seeds": 0}},
        {"type": "seek", "rules": {"pits": 1, "seeds": 128}},
        {"type": "seek", "games": 0},
    ],
    ids=str,
)
def test_what_the_codec_refuses_the_schema_refuses(frame: dict[str, Any]) -> None:
    """A client that checks its messages by the schemas learns every bound there."""
    schema = schemas.standalone(Seek)
    jsonschema.validate({"type": "seek", "clock": {"move_ms": 1}, "rules": {"pits": 16}}, schema)
    with pytest.raises(codec.DecodeError):
        codec.decode_client(json.dumps(frame))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(frame, schema)


@pytest.mark.parametrize(("fields", "is_right"), [("", False), ("g", True), ("gl", False)])
def test_a_watch_names_one_of_two(fields: str, *, is_right: bool) -> None:
    """Its schema says so, as the server does."""
    names = {"g": "game", "l": "ladder"}
    frame = {"type": "watch", **{names[each]: "main" for each in fields}}
    validator = jsonschema.Draft202012Validator(schemas.standalone(Watch))
    assert validator.is_valid(frame) is is_right
