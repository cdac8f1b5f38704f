#!/usr/bin/env bash
# Four messages of 7 bytes are "too long" for a limit of 10 if they arrive together: npm's it-ndjson 2.0.0.
#
# Found with: it-ndjson 2.0.0 (npm), Node 20.
# A good guess: `maxMessageLength` will "limit the possible size of incoming serialized messages in bytes", so it is held
# against each line, and against a line that has not ended yet; how a stream is cut into chunks is the network's affair.
# What happens: it is held against what is left of the last chunk and the whole next one, before that is cut into lines.
# Short messages that arrive together are refused, and none of them is yielded, though each is below the limit; a message
# of exactly the limit is refused for the line break behind it. A file of 80 kB, which is read in chunks of 64 kB, does not
# pass a limit of 60,000 bytes, though its lines have 7.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit it-ndjson@2.0.0 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { createReadStream, writeFileSync } from "node:fs";
import { parse } from "it-ndjson";

async function read(limit, chunks) {
  const messages = [];
  try {
    for await (const message of parse(chunks, { maxMessageLength: limit })) messages.push(message);
    return `${messages.length} messages`;
  } catch (error) {
    return `${messages.length} messages, then ${error.name}`;
  }
}
const lines = [1, 2, 3, 4].map((n) => `{"n":${n}}\n`);
for (const [limit, chunks, found] of [
  [10, lines, "4 messages"],
  [10, [lines.join("")], "0 messages, then InvalidMessageLengthError"],
  [7, lines, "0 messages, then InvalidMessageLengthError"],
  [8, lines, "4 messages"],
]) {
  const got = await read(limit, chunks);
  console.log(`limit ${limit}, lines of 7 bytes in ${chunks.length} chunk(s): ${got}`);
  assert.equal(got, found);
}
writeFileSync("lines.ndjson", lines[0].repeat(10000));
for (const [limit, found] of [[60000, "0 messages, then InvalidMessageLengthError"], [70000, "10000 messages"]]) {
  const got = await read(limit, createReadStream("lines.ndjson"));
  console.log(`limit ${limit}, a file of 10,000 lines of 7 bytes: ${got}`);
  assert.equal(got, found);
}
JS
echo "it-ndjson 2.0.0; guess: 4 messages each time, and 10000 of the file"
node see.mjs
