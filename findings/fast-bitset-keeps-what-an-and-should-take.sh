#!/usr/bin/env bash
# "128 set bits AND bit 5" are 98 bits: npm's fast-bitset 1.3.2.
#
# Found with: fast-bitset 1.3.2 (npm), Node 20.
# A good guess: `and(index)`, "a bitwise AND on 2 bitsets or 1 bitset and 1 index", returns "a new bitset that is the
# bitwise AND of the two": that bit at most, as with a set of that one bit. `nextUnsetBit` gives "the index of the next
# unset bit", "or -1 if not found".
# What happens: the result begins as a copy, and only the word with the index is changed: all bits of other words stay. Up
# to 31 bits there is one word and all is right. And in a full set `nextUnsetBit` gives an index behind its end, which
# `set` refuses, where `ffz` gives -1: a search for a free square goes on with one that is not there.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit fast-bitset@1.3.2 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const BitSet = require("fast-bitset");

const make = (size, bits) => {
  const set = new BitSet(size);
  bits.forEach((bit) => assert.ok(set.set(bit)));
  return set;
};
for (const size of [30, 31, 62, 128]) {
  const all = make(size, Array.from({ length: size }, (_, bit) => bit));
  const [byIndex, bySet] = [all.and(5), all.and(make(size, [5]))].map((set) => set.getCardinality());
  console.log(`${size} set bits AND bit 5: ${byIndex} bits by its index, ${bySet} by a set of it`);
  assert.deepEqual([byIndex, bySet], [1 + Math.max(0, size - 31), 1]);
}
const full = make(6, [0, 1, 2, 3, 4, 5]);
console.log("of six set bits: ffz", full.ffz(), "- nextUnsetBit(0)", full.nextUnsetBit(0), "- set(6)", full.set(6));
assert.deepEqual([full.ffz(), full.nextUnsetBit(0), full.set(6)], [-1, 6, false]);
JS
echo "fast-bitset 1.3.2; guess: 1 bit each time, and -1 from both"
node see.cjs
