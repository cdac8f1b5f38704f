"""``mancala spec``: documents for programs."""

import json
from pathlib import Path

from mancala.protocol import asyncapi, codec
from mancala.protocol.documents import schema_files
from mancala.server.web.api import openapi
from tests.scripts.commands.results import result_of


def test_prints_each_document() -> None:
    """The same that a server hands out."""
    assert result_of("spec", "asyncapi") == json.loads(codec.to_json(asyncapi.document()))
    assert result_of("spec", "openapi") == json.loads(codec.to_json(openapi.document()))
    assert result_of("spec", "schemas") == json.loads(codec.to_json(schema_files()))


def test_writes_files(tmp_path: Path) -> None:
    """One for a document, one for each schema."""
    assert result_of("spec", "asyncapi", "--dir", str(tmp_path))["files"] == [
        str(tmp_path / "asyncapi.json")
    ]
    files = result_of("spec", "schemas", "--dir", str(tmp_path / "schemas"))["files"]
    assert sorted(Path(file).name for file in files) == sorted(schema_files())
    assert json.loads((tmp_path / "schemas" / "turn.json").read_text())["title"] == "Turn"
