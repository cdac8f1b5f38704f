#!/usr/bin/env bash
# What has two licenses has the last of them, and after writing none: lib4sbom 0.10.4.
#
# Found with: lib4sbom 0.10.4 (PyPI), which reads and writes software bills of materials, for sbom2doc, sbomdiff and others.
# A good guess: a component that names MIT and Apache-2.0 as CycloneDX lists them (`licenses: [{"license": {…}}, …]`) has
# both after reading, and a document that is read and written still has them.
# What happens: `licenseconcluded` is the last one alone. Written as CycloneDX, each entry is {"id": "MIT"} without the
# "license" around it, which the standard's schema does not allow; lib4sbom itself reports "Invalid license specified"
# when it reads that, and goes on without a license. One license, or one expression, is kept.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q lib4sbom==0.10.4 2>/dev/null
cat >see.py <<'PY'
import json
from pathlib import Path

from lib4sbom.generator import SBOMGenerator
from lib4sbom.parser import SBOMParser

components = {
    "one": [{"license": {"id": "MIT"}}],
    "expression": [{"expression": "MIT AND Apache-2.0"}],
    "two": [{"license": {"id": "MIT"}}, {"license": {"id": "Apache-2.0"}}],
}
document = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.6",
    "version": 1,
    "metadata": {"component": {"type": "application", "bom-ref": "club", "name": "club", "version": "1"}},
    "components": [
        {"type": "library", "bom-ref": name, "name": name, "version": "1", "licenses": licenses}
        for name, licenses in components.items()
    ],
    "dependencies": [{"ref": "club", "dependsOn": list(components)}],
}
Path("first.cdx.json").write_text(json.dumps(document))


def read(path: str) -> tuple[SBOMParser, dict[str, str | None]]:
    parser = SBOMParser()
    parser.parse_file(path)
    return parser, {package["name"]: package.get("licenseconcluded") for package in parser.get_packages()}


parser, before = read("first.cdx.json")
SBOMGenerator(False, sbom_type="cyclonedx", format="json").generate("club", parser.get_sbom(), filename="second.cdx.json")
written = {each["name"]: each["licenses"] for each in json.loads(Path("second.cdx.json").read_text())["components"]}
_, after = read("second.cdx.json")
for name, given in components.items():
    print(f"{name}: given {json.dumps(given)}, read {before[name]}")
    print(f"  written {json.dumps(written[name])}, read {after[name]}")
assert before == {"one": "MIT", "expression": "MIT AND Apache-2.0", "two": "Apache-2.0"}
assert written["two"] == [{"id": "MIT"}, {"id": "Apache-2.0"}]
assert after == {**before, "two": None}
PY
echo "lib4sbom 0.10.4; guess: two licenses before and after"
env/bin/python see.py
