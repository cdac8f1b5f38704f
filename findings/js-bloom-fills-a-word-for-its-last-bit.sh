#!/usr/bin/env bash
# One text is added, and all others are in as well: npm's @getkoala/js-bloom 0.1.1.
#
# Found with: @getkoala/js-bloom 0.1.1 (npm, 12,000 downloads a month), Node 20.
# A good guess: a text sets as many bits as there are hashes (its README: `size`, "the bit size of the bit array", and
# `hashes`), and another text is taken for it only if all of its own bits are among them. With one hash that is 1 in 32
# for 32 bits, whichever bit is set.
# What happens: the word with the last of 32 bits, a negative number in JavaScript, is made positive with 2^32 - 1 in place
# of 2^32. So for bit 31 the bits 0 to 30 are set, and each text is "in" that has one of these; the JSON, which its README
# hands to Ruby, has the wrong number (2147483647). In a filter of 3,200 bits for 200 texts, with four hashes, wrong answers
# are ten times as many as the same bits give in a Set.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @getkoala/js-bloom@0.1.1 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { JsBloom } = require("@getkoala/js-bloom");

const texts = (from, count) => Array.from({ length: count }, (_, number) => `game ${from + number}`);

const small = { size: 32, hashes: 1, seed: 1 };
const filter = new JsBloom(small);
filter.add(texts(0, 1000).find((text) => filter.indexesFor(text)[0] === 31));
const asked = texts(1000, 3200);
const taken = asked.filter((text) => filter.test(text)).length;
console.log(`32 bits, bit 31 set: the field is ${filter.toHash().bits}, guess ${2 ** 31}`);
console.log(`of ${asked.length} other texts are in: guess about ${asked.length / 32}, found ${taken}`);
assert.deepEqual(filter.toHash().bits, [2 ** 31 - 1]);
assert.equal(taken, asked.length);

const large = new JsBloom({ size: 3200, hashes: 4, seed: 1 });
const set = new Set();
for (const text of texts(0, 200)) {
  large.add(text);
  for (const bit of large.indexesFor(text)) set.add(bit);
}
const others = texts(200_000, 20_000);
const theirs = others.filter((text) => large.test(text)).length;
const ours = others.filter((text) => large.indexesFor(text).every((bit) => set.has(bit))).length;
console.log(`3200 bits, 4 hashes, 200 texts: of ${others.length} others ${theirs} are in; with the bits in a Set ${ours}`);
assert.deepEqual([theirs, ours], [500, 52]);
JS
echo "@getkoala/js-bloom 0.1.1"
node see.cjs
