#!/usr/bin/env bash
# A log that was packed in two parts cannot be read: npm's @bokuweb/zstd-wasm 0.0.27.
#
# Found with: @bokuweb/zstd-wasm 0.0.27 (npm, 50,000 downloads a month), fzstd 0.1.1 for comparison, Node 20.
# A good guess: frames one behind another are read as one text (RFC 8878, 3: "the decompressed content of multiple
# concatenated frames is the concatenation of each frame's decompressed content"), and a frame to skip is skipped: so
# appended logs and seekable files are made.
# What happens: room is made for the first frame alone, by the size that it states, and none for a frame to skip. Then all
# frames are read into it, and the error is "Failed to compress with code -70".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @bokuweb/zstd-wasm@0.0.27 fzstd@0.1.1 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { compress, decompress, init } from "@bokuweb/zstd-wasm";
import * as fzstd from "fzstd";

await init();
const attempt = (read, packed) => {
  try {
    return Buffer.from(read(packed)).toString();
  } catch (error) {
    return String(error.message ?? error);
  }
};
const one = compress(Buffer.from("game 1;"));
const two = compress(Buffer.from("game 2;"));
const skipped = Buffer.from("502a4d180400000001020304", "hex");
const refusal = "Failed to compress with code -70";
for (const [name, frames, seen, other] of [
  ["one frame", [one], "game 1;", "game 1;"],
  ["two frames", [one, two], refusal, "game 1;game 2;"],
  ["one to skip, one", [skipped, one], refusal, "game 1;"],
]) {
  const packed = new Uint8Array(Buffer.concat(frames));
  const found = [attempt(decompress, packed), attempt(fzstd.decompress, packed)];
  console.log(`${name}: zstd-wasm ${found[0]}, fzstd ${found[1]}`);
  assert.deepEqual(found, [seen, other]);
}
JS
echo "@bokuweb/zstd-wasm 0.0.27; guess: as fzstd"
node see.mjs
