#!/usr/bin/env bash
# A pair of numbers with `items: false`, and no client is made at all: openapi-python-client 0.29.1.
#
# Found with: openapi-python-client 0.29.1 (PyPI), which says "OpenAPI 3.0 and 3.1".
# A good guess: in OpenAPI 3.1 a schema is one of JSON Schema 2020-12, where `true` and `false` are schemas. A pair is
# `prefixItems` with `items: false`, as msgspec writes it; a generator that does not know tuples makes a list of it, or
# leaves that one model out with a warning, as it does with other things that it does not know.
# What happens: "Failed to parse OpenAPI document": one such pair anywhere, and nothing is generated. Without
# `items: false` (`maxItems` says the same) the pair is a list. `additionalProperties: false` is taken.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check openapi-python-client==0.29.1 jsonschema==4.26.0
cat >see.py <<'PYTHON'
import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from jsonschema import Draft202012Validator

NUMBER = {"type": "number"}
LIST = {"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [NUMBER, NUMBER]}


def generate(name: str, pair: dict) -> tuple[bool, str]:
    """Whether a client of an API that answers with such a pair is made, and what was said."""
    Draft202012Validator.check_schema(pair)
    point = {"type": "object", "properties": {"at": pair}, "additionalProperties": False}
    answer = {"description": "it", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Point"}}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": name, "version": "1"},
        "paths": {"/point": {"get": {"operationId": "point", "responses": {"200": answer}}}},
        "components": {"schemas": {"Point": point}},
    }
    Path(f"{name}.json").write_text(json.dumps(document))
    program = [str(Path(sys.executable).with_name("openapi-python-client")), "generate", "--meta", "none"]
    said = subprocess.run([*program, "--path", f"{name}.json", "--output-path", name], capture_output=True, text=True)
    return (Path(name) / "models" / "point.py").exists(), said.stdout + said.stderr


print("openapi-python-client", version("openapi-python-client"))
print("guess: a client is made of both")
for name, pair in (("without", LIST), ("with_items_false", {**LIST, "items": False})):
    made, said = generate(name, pair)
    line = next((line for line in said.splitlines() if "Failed to parse" in line), "")
    print(f"{name}: a client is made: {made}", f"- {line}" if line else "")
    assert made == (name == "without")
    assert made or "Failed to parse OpenAPI document" in said
PYTHON
PATH="$folder/env/bin:$PATH" env/bin/python see.py
