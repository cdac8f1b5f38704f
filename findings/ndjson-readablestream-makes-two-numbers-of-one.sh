#!/usr/bin/env bash
# 1234 arrives as 12 and 34, and a single torn line ends the stream in silence: npm's ndjson-readablestream 1.4.0.
#
# Found with: ndjson-readablestream 1.4.0 (npm, 200,000 downloads a month), Node 20.
# A good guess: a line is a value, and it is whole once its line break has arrived; what a line has before a chunk ends is
# kept until then. A line that is no JSON raises an error or is left out, and the next one is read.
# What happens: line breaks are dropped, and a piece between breaks or chunks is a value as soon as it is JSON. An object is
# that at its last bracket only, a number at each of its digits. A piece that is no JSON is kept and put before the next
# one, whatever break lay between: after a line that was torn, by a server that was ended and started again, nothing
# becomes JSON any more, and the loop ends as after a stream that had nothing more to say.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit ndjson-readablestream@1.4.0 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import module from "node:module";

const read = module.createRequire(import.meta.url)("ndjson-readablestream");
for (const [chunks, found] of [
  [["1234\n5678\n"], "[1234,5678]"],
  [["12", "34\n5678\n"], "[12,34,5678]"],
  [['{"n":1', '234}\n{"n":5678}\n'], '[{"n":1234},{"n":5678}]'],
  [['{"n":1}\n{"n":\n{"n":3}\n{"n":4}\n'], '[{"n":1}]'],
]) {
  const values = [];
  for await (const value of read(ReadableStream.from(chunks.map((each) => Buffer.from(each))))) {
    values.push(value);
  }
  console.log(JSON.stringify(chunks), "->", JSON.stringify(values));
  assert.equal(JSON.stringify(values), found);
}
JS
echo "ndjson-readablestream 1.4.0; guess: 1234 and 5678 each time; of the last one 1, 3 and 4, or an error"
node see.mjs
