#!/usr/bin/env bash
# Two rules about one property, and the second is dropped: npm's json-schema-compare 0.2.2 (json-schema-merge-allof 0.8.1).
#
# Found with: json-schema-compare 0.2.2, json-schema-merge-allof 0.8.1, which is built on it, ajv 6.12.6 (npm), Node 20.
# A good guess: who pays by card gives an address, and who pays by card gives a name, are two schemas to a library that is
# to "compare json schemas correctly", whatever the order within "dependencies (if array)". Merged, both are asked for:
# the merger is "lossless in terms of validation rules".
# What happens: if both have a list, it sorts and compares the objects that the lists are in (`stringArray(a)`), not the
# lists (`aVal`): that gives two empty ones, so any two lists are the same. The merger throws equal schemas away, and with
# them the second rule. As "required" within a schema, both rules are kept.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit json-schema-compare@0.2.2 json-schema-merge-allof@0.8.1 ajv@6.12.6 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const Ajv = require("ajv");
const compare = require("json-schema-compare");
const merge = require("json-schema-merge-allof");

const paid = { card: "1234", address: "Hill 1" };
const seen = (...schemas) => {
  const merged = merge({ allOf: schemas });
  const valid = [{ allOf: schemas }, merged].map((schema) => new Ajv().validate(schema, paid));
  console.log(`${JSON.stringify(schemas)}: the same ${compare(...schemas)}, merged ${JSON.stringify(merged)}`);
  console.log(`  without a name: valid by allOf ${valid[0]}, by the merged one ${valid[1]}`);
  return [compare(...schemas), ...valid];
};
const list = (...names) => ({ dependencies: { card: names } });
const required = (name) => ({ dependencies: { card: { required: [name] } } });
assert.deepEqual(seen(list("address"), list("name")), [true, false, true]);
assert.deepEqual(seen(list("address"), list("address", "name")), [true, false, true]);
assert.deepEqual(seen(required("address"), required("name")), [false, false, false]);
JS
echo "json-schema-compare 0.2.2; guess: never the same, and never valid without a name"
node see.cjs
