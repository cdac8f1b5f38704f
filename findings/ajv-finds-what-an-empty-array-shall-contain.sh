#!/usr/bin/env bash
# An empty array contains an integer, as soon as the schema also says what stands first: npm's Ajv 8.20.0.
#
# Found with: ajv 8.20.0 (npm), jsonschema 4.26.0 (PyPI) for comparison, Node 20.
# A good guess: `contains: {type: "integer"}` refuses [] (JSON Schema 2020-12, 10.3.1.3: "at least one of its elements"),
# and `prefixItems`, which says nothing of an array that is too short for it, changes nothing about that.
# What happens: alone, it refuses []. With `prefixItems` beside it (or a list of `items`, draft 7) [] is valid; ["a"] is
# refused in both. With `allErrors: true`, which is for messages, [] is refused again. So a list of results that
# must hold a final one may be empty, and the same schema decides otherwise in a program that shows all errors. (Strict
# mode, the default, logs a warning of each list of items without a bound, and decides the same.)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit ajv@8.20.0 >/dev/null
python3 -m venv env
env/bin/pip install -q jsonschema==4.26.0 2>/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const Draft7 = require("ajv").default;
const Draft2020 = require("ajv/dist/2020").default;

const contains = { type: "integer" };
const python = `import json, jsonschema.validators, sys
schema = json.loads(sys.argv[1])
print(jsonschema.validators.validator_for(schema)(schema).is_valid([]))`;
for (const [name, Draft, rest, seen] of [
  ["alone, draft 7", Draft7, {}, false],
  ["a list of items, draft 7", Draft7, { items: [{ type: "string" }] }, true],
  ["alone, 2020-12", Draft2020, {}, false],
  ["prefixItems, 2020-12", Draft2020, { prefixItems: [{ type: "string" }] }, true],
]) {
  const schema = { $schema: new Draft().defaultMeta(), type: "array", contains, ...rest };
  const [first, all] = [false, true].map((allErrors) => new Draft({ logger: false, allErrors }).validate(schema, []));
  const other = execFileSync("env/bin/python", ["-c", python, JSON.stringify(schema)]).toString().trim();
  console.log(`${name}: [] is valid ${first}; with allErrors ${all}; by jsonschema 4.26.0 ${other}`);
  assert.deepEqual([first, all, other], [seen, false, "False"]);
  assert.equal(new Draft({ logger: false }).validate(schema, ["a"]), false);
}
JS
echo "ajv 8.20.0; guess: [] is never valid"
node see.cjs
