#!/usr/bin/env bash
# The parameter "Zoë" is not "Zoë" in R, and NaN is an object that is not found: papermill 2.7.0.
#
# Found with: papermill 2.7.0 (PyPI), webr 0.6.0 (npm, R 4.6.0 in WebAssembly), ws 8.18.3, Node 20.
# A good guess: a parameter has the same value in a notebook of each language that papermill has a translator for; YAML's
# numbers have .nan and .inf, and a text is a text.
# What happens: each text is written with Python's escapes. For a letter between U+0080 and U+00FF that is \xeb, in R one
# byte and so no valid text (with the euro, \u20ac, all is well, so it shows with some names only). nan and inf are written
# as Python prints them, though R has NaN and Inf; of the translators, those for Python and PowerShell alone look for them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q papermill==2.7.0 2>/dev/null
npm install --silent --no-fund --no-audit webr@0.6.0 ws@8.18.3 >/dev/null
cat >cells.py <<'PY'
import json

from papermill.translators import translate_parameters

values = {"whole": 3, "euro": "5 €", "name": "Zoë", "missing": float("nan"), "bound": float("inf")}
print(json.dumps({name: translate_parameters("ir", "R", {name: value}) for name, value in values.items()}))
PY
env/bin/python cells.py >cells.json
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { WebR } from "webr";

const r = new WebR();
await r.init();
const cells = JSON.parse(readFileSync("cells.json", "utf8"));
const ask = (cell, question) =>
  r.evalRBoolean(`{\n${cell}\n${question}\n}`).catch((error) => error.message.split(": ").pop());
const seen = [
  ["whole", "whole == 3", true],
  ["euro", 'euro == "5 \\u20ac"', true],
  ["name", 'name == "Zo\\u00eb"', false],
  ["name", "validUTF8(name)", false],
  ["missing", "is.nan(missing)", "object 'nan' not found"],
  ["bound", "bound > 1", "object 'inf' not found"],
];
for (const [name, question, answer] of seen) {
  const found = await ask(cells[name], question);
  console.log(`${cells[name].split("\n")[1]}; ${question}: ${found}`);
  assert.equal(found, answer);
}
process.exit(0);
JS
echo "papermill 2.7.0; guess: true, six times"
node see.mjs
