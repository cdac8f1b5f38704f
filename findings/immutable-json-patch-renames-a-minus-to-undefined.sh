#!/usr/bin/env bash
# {"-": 3} becomes {"undefined": 3}: npm's immutable-json-patch 6.0.3.
#
# Found with: immutable-json-patch 6.0.3 (npm, 720,000 downloads a month), fast-json-patch 3.1.1 for comparison, Node 20.
# A good guess: "/-" is the place behind the last element "if the currently referenced value is a JSON array" (RFC 6901, 4);
# in an object it is the member named "-" (the counts of "+", "-" and "=" of a player's results, say).
# What happens: a last "-" is replaced by the length of what it stands in, whatever that is. An object has none, so the
# member is called "undefined" from then on. To replace or remove the real one does nothing, without an error, and
# `revertJSONPatch` gives a patch that adds "undefined". In the midst of a path "-" is a name as any other.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit immutable-json-patch@6.0.3 fast-json-patch@3.1.1 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { immutableJSONPatch, revertJSONPatch } = require("immutable-json-patch");
const { applyPatch } = require("fast-json-patch");

const text = JSON.stringify;
for (const [from, operation, seen] of [
  [{ "+": 5 }, { op: "add", path: "/-", value: 3 }, { "+": 5, undefined: 3 }],
  [{ "+": 5, "-": 2 }, { op: "replace", path: "/-", value: 3 }, { "+": 5, "-": 2 }],
  [{ "+": 5, "-": 2 }, { op: "remove", path: "/-" }, { "+": 5, "-": 2 }],
  [{ "-": { a: 1 } }, { op: "replace", path: "/-/a", value: 3 }, { "-": { a: 3 } }],
]) {
  const right = applyPatch(structuredClone(from), [operation]).newDocument;
  const found = immutableJSONPatch(from, [operation]);
  console.log(`${text(from)} ${operation.op} ${operation.path}: ${text(found)} - fast-json-patch: ${text(right)}`);
  assert.deepEqual(found, seen);
}
const back = revertJSONPatch({ "-": 2 }, [{ op: "remove", path: "/-" }]);
console.log("to revert the removal:", text(back));
assert.equal(back[0].path, "/undefined");
JS
echo "immutable-json-patch 6.0.3; guess: as fast-json-patch"
node see.cjs
