"""The OpenAPI document: valid by the official schema, and true of the answers."""

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any, Final
from unittest.mock import AsyncMock, Mock

import jsonschema
import pytest

from mancala.protocol import asyncapi, codec
from mancala.protocol.documents import schema_files
from mancala.server.config.events import EventSettings
from mancala.server.web.api import endpoints, parameters
from mancala.server.web.api.api import Api
from mancala.server.web.api.endpoints import ENDPOINTS, ROOT
from mancala.server.web.api.openapi import document
from mancala.server.web.feed import topics
from mancala.server.web.feed.topics import UnavailableError
from mancala.server.web.http.responses import BusyError
from tests.frozen import changeable
from tests.server.web.seen import Seen, seen
from tests.sources import ROOT as REPOSITORY
from tests.stored import assert_is_stored

pytestmark = pytest.mark.asyncio(loop_scope="module")

DATA: Final = REPOSITORY / "tests" / "data" / "openapi"
DOCUMENT: Final[dict[str, Any]] = json.loads(codec.to_json(document()))
OPERATIONS: Final = [
    (path, each) for path, item in DOCUMENT["paths"].items() for each in item.values()
]
ASKING: Final = (
    *("/", "/ladders", "/terms", "/opponents", "/analysis", "/log", "/games", "/games/{game}/live"),
    *(f"/ladders/{{name}}/{part}" for part in ("standings", "ratings", "superiority")),
    *("/bots/{name}", "/bots/{name}/next"),
)
"""What asks the game server."""


async def test_the_document_is_valid_openapi() -> None:
    """The official JSON Schema of OpenAPI 3.1 finds nothing to complain of."""
    schema = json.loads((DATA / "openapi-3.1.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(DOCUMENT)


async def test_what_is_asked_stays_as_it_was_asked() -> None:
    """Answers are kept by it."""
    assert changeable(endpoints, parameters, topics) == []


async def test_operations_are_those_that_clients_were_generated_from() -> None:
    """Paths, parameters with their bounds, and statuses; each operation has a sentence."""
    lines = []
    for path, item in DOCUMENT["paths"].items():
        for verb, each in item.items():
            assert each["summary"]
            lines += [f"{verb} {path} {each['operationId']}: {' '.join(each['responses'])}"]
            for given in each.get("parameters", ()):
                mark = "" if given.get("required") else "?"
                schema = json.dumps(given["schema"])
                lines += [f"  {given['in']} {given['name']}{mark} {schema}"]
    assert_is_stored("operations.txt", "\n".join(lines))


async def test_what_the_document_refers_to_is_in_it() -> None:
    """Also what parameters refer to, or no client can be generated."""
    text = json.dumps(DOCUMENT)
    kinds = set(re.findall(r'"#/components/schemas/([^"]+)"', text))
    assert kinds
    assert kinds <= DOCUMENT["components"]["schemas"].keys()


async def test_generators_find_no_boolean_for_a_schema() -> None:
    """Valid in 3.1, but openapi-python-client refuses a document that has one (`items: false`)."""
    text = json.dumps(DOCUMENT)
    assert not re.search(r'"(items|contains|not|schema)": (true|false)', text)
    tuples = re.findall(r'"minItems": (\d+), "maxItems": (\d+), "prefixItems"', text)
    assert tuples
    assert all(least == most for least, most in tuples)


async def test_the_server_gives_its_document(played: Seen) -> None:
    """As generated, under the API's root."""
    assert await played.api("/openapi.json") == DOCUMENT


async def test_the_server_gives_the_documents_of_its_messages(played: Seen) -> None:
    """AsyncAPI beside it, and a JSON Schema of each message, for pages of any origin."""
    assert await played.api("/asyncapi.json") == json.loads(codec.to_json(asyncapi.document()))
    for name, schema in schema_files().items():
        response = await played.get(f"/schemas/{name}")
        assert response.json() == json.loads(codec.to_json(schema))
        assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert (await played.get("/schemas/chess.json")).status_code == 404


async def test_each_status_is_in_the_document(played: Seen) -> None:
    """What needs no parameter is asked; a log that is not public was an answer without a name."""
    for path, operation in OPERATIONS:
        if not any(each["required"] for each in operation.get("parameters", ())):
            response = await played.get(ROOT + path)
            assert str(response.status_code) in operation["responses"], path


async def test_what_the_game_server_alone_knows_may_be_unavailable() -> None:
    """While it restarts; a client generated from the document expects the answer."""
    away = Mock()
    away.ask.side_effect = away.about.side_effect = UnavailableError("it restarts")
    given = {"name": "ann", "game": "ffff", "ladder": "main", "board": "<1,0,0,1,1>"}
    alone = {path or "/" for path, each in ENDPOINTS.items() if each.needs_game_server}
    assert alone == set(ASKING)
    for path in alone:
        endpoint = ENDPOINTS[path.removesuffix("/")]
        names = given.keys() & set(endpoint.parameters.__struct_fields__)
        wanted = endpoint.parameters(**{name: given[name] for name in names})
        assert "503" in DOCUMENT["paths"][path]["get"]["responses"]
        with pytest.raises((UnavailableError, BusyError)):
            await endpoint.ask(Api(away, AsyncMock()), wanted)


async def test_every_field_and_parameter_is_described() -> None:
    """None is left without a sentence."""
    for name, schema in DOCUMENT["components"]["schemas"].items():
        for field, described in schema.get("properties", {}).items():
            assert described.get("description"), f"{name}.{field}"
    for _, operation in OPERATIONS:
        assert operation["summary"]
        assert all(each["description"] for each in operation.get("parameters", ()))


async def test_every_operation_has_a_name_of_its_own() -> None:
    """Programs that generate clients call their functions so."""
    names = [operation["operationId"] for _, operation in OPERATIONS]
    assert len(set(names)) == len(names) == len(ENDPOINTS) + 1


async def test_parameters_in_a_path_are_declared_and_required() -> None:
    """Each brace of a path has its parameter with a pattern, and no other is in the path."""
    for path, operation in OPERATIONS:
        declared = {
            each["name"]
            for each in operation.get("parameters", ())
            if each["in"] == "path" and each["required"] and "pattern" in each["schema"]
        }
        assert declared == {part[1:-1] for part in path.split("/") if part.startswith("{")}


async def test_a_parameter_without_a_default_is_required() -> None:
    """``board`` of an analysis was documented as optional."""
    declared = DOCUMENT["paths"]["/analysis"]["get"]["parameters"]
    assert {each["name"]: each["required"] for each in declared} == {"board": True, "rules": False}
    assert all("pattern" in each["schema"] for each in declared), "no text holds a control"


async def test_answers_are_as_the_document_says(tmp_path: Path) -> None:
    """Schemathesis asks what the document allows and what it does not, and holds each answer to it.

    Not asked is that all the document allows is accepted: a board of a string, or a parameter that
    needs another, has rules that a schema does not state. No game is reviewed, and no puzzle kept.
    """
    event = EventSettings(
        name="cup", format="rr", entrants=("ann", "bob"), absent_s=0.0, series="friday"
    )
    options = "--phases=coverage --exclude-checks=positive_data_acceptance"
    async with seen(tmp_path, event=(event,)) as looking:
        await looking.play("ann", "bob")
        await looking.arena.order("event-start", event="cup")
        while (await looking.api("/events/cup"))["state"] != "finished":
            pass
        game = (await looking.api("/games"))["games"][0]
        there = {"game": game["game"], "match": game["match"], "name": "ann", "other": "bob"}
        values = "".join(f'"path.{name}" = "{value}"\n' for name, value in there.items())
        settings = f"[parameters]\n{values}"
        for kind, name in (("ladders", "main"), ("events", "cup")):
            settings += f'[[operations]]\ninclude-path-regex = "^/{kind}"\n'
            settings += f'parameters = {{ "path.name" = "{name}" }}\n'
        (tmp_path / "schemathesis.toml").write_text(settings)
        process = await asyncio.create_subprocess_exec(
            str(Path(sys.executable).with_name("schemathesis")), "run", *options.split(),
            str(looking.http.base_url.join(f"{ROOT}/openapi.json")),
            cwd=tmp_path, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()  # names the seed


@pytest.mark.parametrize(("query", "status"), [("/ffff", "404"), ("?limit=0", "400")])
async def test_refusals_fit_their_description(played: Seen, query: str, status: str) -> None:
    """Errors have one shape, and the document tells it."""
    response = await played.get(f"{ROOT}/games{query}")
    path = "/games/{game}" if status == "404" else "/games"
    check(response.json(), path, status)


def check(answer: object, path: str, status: str = "200") -> None:
    described = DOCUMENT["paths"][path]["get"]["responses"][status]["content"]
    schema = {**described["application/json"]["schema"], "components": DOCUMENT["components"]}
    jsonschema.Draft202012Validator(schema).validate(answer)
