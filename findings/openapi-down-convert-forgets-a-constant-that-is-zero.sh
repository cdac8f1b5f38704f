#!/usr/bin/env bash
# A constant is kept, unless it is 0, false or "": npm's @apiture/openapi-down-convert 0.14.2.
#
# Found with: @apiture/openapi-down-convert 0.14.2 (npm), Node 20.
# A good guess: going from OpenAPI 3.1 to 3.0, which knows no `const`, the tool makes "an `enum` with one value" of it, as
# its README has it, whatever the value.
# What happens: `const: 1` and `const: "yes"` become an `enum`; 0, false and "" stay as `const`. A reader of 3.0 passes
# over a word that is not in 3.0, so any value is valid there; {draft: false} and {draft: true} are told apart no more. A
# strict reader refuses the document. Nothing is raised.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @apiture/openapi-down-convert@0.14.2 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { Converter } = require("@apiture/openapi-down-convert");

const constants = { one: 1, yes: "yes", true: true, zero: 0, empty: "", false: false };
const schemas = Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, { const: value }]));
const document = { openapi: "3.1.0", info: { title: "games", version: "1" }, paths: {}, components: { schemas } };
const lowered = new Converter(document, {}).convert();
const left = Object.keys(constants).filter((name) => "const" in lowered.components.schemas[name]);
for (const name of Object.keys(constants)) console.log(name, JSON.stringify(lowered.components.schemas[name]));
assert.equal(lowered.openapi, "3.0.3");
assert.deepEqual(left, ["zero", "empty", "false"]);
assert.deepEqual(lowered.components.schemas.one, { enum: [1] });
JS
echo "openapi-down-convert 0.14.2; guess: six times an enum"
node see.cjs
