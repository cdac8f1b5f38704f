#!/usr/bin/env bash
# The points stay as they were, since the car's constructor has changed: npm's json-merge-patch 1.0.2.
#
# Found with: json-merge-patch 1.0.2 (npm, 950,000 downloads a month), json8-merge-patch 1.0.4 for comparison, Node 20.
# A good guess: "constructor" and "prototype" are names as any other in JSON; a patch with one of them (RFC 7396) is applied
# as a whole, above all one that the package itself has made, or is refused with an error.
# What happens: against patches that would reach JavaScript's own objects, these names are guarded; but not the member is
# left out: the function returns there. What stands behind it in the same object is dropped, what stands before it
# is applied, and nothing is said. So what a patch does depends on the order of its members.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit json-merge-patch@1.0.2 json8-merge-patch@1.0.4 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { apply, generate } = require("json-merge-patch");
const other = require("json8-merge-patch");

const before = { driver: "Ann", constructor: "Lotus", points: 3 };
const after = { driver: "Ben", constructor: "Cooper", points: 5 };
const patch = generate(before, after);
const found = apply(structuredClone(before), patch);
console.log("patch:", patch, "applied:", found, "json8-merge-patch:", other.apply(structuredClone(before), patch));
assert.deepEqual(patch, after);
assert.deepEqual(found, { driver: "Ben", constructor: "Lotus", points: 3 });
assert.deepEqual(other.apply(structuredClone(before), patch), after);
assert.equal(apply({}, { points: 5, constructor: "Cooper" }).points, 5);
for (const name of ["constructor", "prototype"]) assert.deepEqual(apply({}, { [name]: "Cooper", points: 5 }), {});
JS
echo "json-merge-patch 1.0.2; guess: Ben, Cooper, 5"
node see.cjs
