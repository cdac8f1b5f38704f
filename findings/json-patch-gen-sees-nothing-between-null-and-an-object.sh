#!/usr/bin/env bash
# No winner yet (null) and a winner without members ({}) are the same for it: npm's json-patch-gen 1.0.2.
#
# Found with: json-patch-gen 1.0.2 (npm, 15,000 downloads a month), rfc6902 5.3.0 for comparison, Node 20.
# A good guess: the patch (RFC 6902) makes the second document of the first one, and null is a value as any other: a member
# that becomes an object, or is one no more, is replaced.
# What happens: `typeof null` is "object", so both are taken for objects and their members compared: null has none, as {}.
# Then the patch is empty and the old value stays. If the object has members, they are looked for in null, which ends in
# "Cannot use 'in' operator". From null to a text, a number or a list and back all is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit json-patch-gen@1.0.2 rfc6902@5.3.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const generate = require("json-patch-gen");
const { createPatch } = require("rfc6902");

const patch = (from, to) => {
  try {
    return JSON.stringify(generate({ winner: from }, { winner: to }));
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
};
for (const [from, to, seen] of [[null, {}, /^\[\]$/], [{}, null, /^\[\]$/], [null, { name: "Ann" }, /^TypeError/],
  [{ name: "Ann" }, null, /^TypeError/], [null, "Ann", /replace/], [["Ann"], null, /replace/]]) {
  const right = JSON.stringify(createPatch({ winner: from }, { winner: to }));
  console.log(`${JSON.stringify(from)} to ${JSON.stringify(to)}: ${patch(from, to)} - rfc6902: ${right}`);
  assert.match(patch(from, to), seen);
  assert.match(right, /replace/);
}
JS
echo "json-patch-gen 1.0.2; guess: as rfc6902"
node see.cjs
