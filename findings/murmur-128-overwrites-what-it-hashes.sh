#!/usr/bin/env bash
# What was hashed is something else afterwards: npm's murmur-128 1.0.0 and murmur-32 1.0.0.
#
# Found with: murmur-128 1.0.0, murmur-32 1.0.0 (npm), Node 20.
# A good guess: a hash reads its key. `murmur(key, seed)` takes a string or an ArrayBuffer, and the same buffer has the
# same hash whenever it is asked, so that it may be kept in a table under it.
# What happens: the words are mixed in the caller's own buffer: after one call all its whole blocks (of 16 bytes, or 4) hold
# other bytes, and a second call gives another hash. The first one is right. Strings, which are copied, show nothing of it,
# nor does a key that is shorter than a block.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit murmur-128@1.0.0 murmur-32@1.0.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const kinds = { "murmur-128": require("murmur-128").default, "murmur-32": require("murmur-32").default };

const hex = (buffer) => Buffer.from(buffer).toString("hex");
for (const [name, murmur] of Object.entries(kinds)) {
  for (const [text, kept] of [["4 4 4 4 4 4 0 4 4 4 4 4 4 0", false], ["4 4 4 4", name === "murmur-128"]]) {
    const board = new TextEncoder().encode(text).buffer;
    const [first, second, ofText] = [murmur(board, 1), murmur(board, 1), murmur(text, 1)].map(hex);
    console.log(`${name} of ${JSON.stringify(text)}: ${first}, again ${second}; key`,
      Buffer.from(board).equals(Buffer.from(text)) ? "as it was" : hex(board));
    assert.equal(first, ofText);
    assert.equal(first === second, kept);
    assert.equal(Buffer.from(board).equals(Buffer.from(text)), kept);
  }
}
JS
echo "murmur-128 1.0.0, murmur-32 1.0.0; guess: the same hash again, and the key as it was"
node see.cjs
