#!/usr/bin/env bash
# Hashing "in multiple steps" ends in a TypeError as soon as the steps matter: npm's @intrnl/xxhash64 0.1.2.
#
# Found with: @intrnl/xxhash64 0.1.2 (npm), Node 20; xxhash 3.6.0 (PyPI) as the judge.
# A good guess: `update` may be called with pieces of any size, as its README shows for "foo" and "bar", and a seed is a
# number of 64 bits, as XXH64 has it (xxHash's specification: "seed … an unsigned 64-bit"); a bigint is taken.
# What happens: if a piece fills the buffer of 32 bytes that an earlier one began, three of its four words are read from
# `this.memory`, which does not exist (it is `#memory`), so two pieces of 20 bytes cannot be hashed. And the seed is cut to
# 32 bits: seeds that differ above them only give one hash, and for those it is not the one that XXH64 has.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @intrnl/xxhash64@0.1.2 >/dev/null
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check xxhash==3.6.0 2>/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { XXH64, hash } from "@intrnl/xxhash64";

const judge = (text, seed) => BigInt(execFileSync("env/bin/python", ["-c",
  "import sys, xxhash; print(xxhash.xxh64_intdigest(sys.argv[1], int(sys.argv[2])))", text, `${seed}`]).toString());
const text = "4 4 4 4 4 4 0 4 4 4 4 4 4 0, South moves";
assert.equal(hash(text, 7n), judge(text, 7n));
for (const size of [text.length, 20, 5]) {
  const state = new XXH64(7n);
  let told = "";
  try {
    for (let at = 0; at < text.length; at += size) state.update(text.slice(at, at + size));
    told = `${state.digest() === judge(text, 7n)}`;
  } catch (error) {
    told = `${error.name}: ${error.message}`;
  }
  console.log(`${text.length} bytes in pieces of ${size}: ${told}`);
  if (size === text.length) assert.equal(told, "true");
  else assert.match(told, /TypeError: Cannot read properties of undefined/);
}
const [near, far] = [hash(text, 7n), hash(text, 7n + 2n ** 40n)];
console.log(`seed 7: ${near}, seed 7 + 2^40: ${far}, by xxhash ${judge(text, 7n + 2n ** 40n)}`);
assert.equal(near, far);
assert.notEqual(far, judge(text, 7n + 2n ** 40n));
JS
echo "@intrnl/xxhash64 0.1.2; guess: true for all three, and two different hashes"
node see.mjs
