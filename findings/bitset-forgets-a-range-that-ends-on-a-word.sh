#!/usr/bin/env bash
# A range that ends at bit 31 of a word is not set, flipped or cleared there: npm's bitset 5.3.0.
#
# Found with: bitset 5.3.0 (npm), Node 20.
# A good guess: `setRange(from, to)`, `flip(from, to)` and `clear(from, to)` reach both ends ("the end index of the range",
# inclusive), so `setRange(0, 63)` is a full board of 64 squares; `toString(8)` is the number in octal.
# What happens: the mask of the last word is `(1 << e + 1) - 1`, and in JavaScript `1 << 32` is 1: for an end of 31, 63, 95,
# and so on, it is empty. The last word stays as it was: 32 bits of 64 are missing, and nothing is said. Each other end is
# right. And `toString(8)` joins words of 32 bits as if three bits a digit went into 32: from 2^32 on it is another number.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit bitset@5.3.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { BitSet } = require("bitset");

const wrong = [];
for (let end = 0; end < 128; end += 1) {
  const bits = Array.from({ length: end + 1 }, (_, bit) => bit);
  const ours = new BitSet().setRange(0, end).toArray();
  const flipped = new BitSet().flip(0, end).toArray();
  const left = new BitSet(bits).clear(0, end).toArray();
  assert.deepEqual(flipped, ours);
  assert.equal(left.length, end + 1 - ours.length);
  if (ours.length !== bits.length) wrong.push(`0 to ${end}: ${ours.length} bits`);
}
console.log("setRange, flip and clear fall short:", wrong.join(", "));
assert.deepEqual(wrong, [31, 63, 95, 127].map((end) => `0 to ${end}: ${end - 31} bits`));
const [octal, right] = [new BitSet([34]).toString(8), (2n ** 34n).toString(8)];
console.log(`2^34 in octal: ${octal}, by BigInt ${right}; in base 16: ${new BitSet([34]).toString(16)}`);
assert.notEqual(octal, right);
assert.equal(new BitSet([34]).toString(16), (2n ** 34n).toString(16));
JS
echo "bitset 5.3.0; guess: no range falls short, and 2^34 is 200000000000 in octal"
node see.cjs
