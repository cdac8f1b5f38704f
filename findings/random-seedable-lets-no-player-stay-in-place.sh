#!/usr/bin/env bash
# A shuffle that always swaps two, and knows two of the six orders of three: npm's random-seedable 1.0.8.
#
# Found with: random-seedable 1.0.8 (npm, 24,000 downloads a month), Node 20.
# A good guess: `shuffle` is what its documentation says, "the fisher-yates algorithm": all orders are equally likely.
# What happens: the partner of place i is drawn by `randRange(0, i)`, which is below i (its documentation says up
# to i, as an open issue notes), so nothing may stay where it is: what comes out is one cycle through all places
# (Sattolo's algorithm). Who stood first never stands first; of two players the second always begins; of four, 6
# orders of 24 occur. All of its generators share this function.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit random-seedable@1.0.8 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { MersenneTwister, PCG, XORShift } from "random-seedable";

const orders = (Generator, letters) => {
  const generator = new Generator(1);
  const seen = new Set(Array.from({ length: 2000 }, () => generator.shuffle([...letters], false).join("")));
  return [...seen].sort();
};
for (const Generator of [MersenneTwister, PCG, XORShift]) {
  console.log(Generator.name, ["ab", "abc", "abcd"].map((letters) => orders(Generator, letters).join(" ")).join("; "));
  assert.deepEqual(orders(Generator, "ab"), ["ba"]);
  assert.deepEqual(orders(Generator, "abc"), ["bca", "cab"]);
  assert.equal(orders(Generator, "abcd").length, 6);
}
JS
echo "random-seedable 1.0.8; guess: 2, 6 and 24 orders in 2000 shuffles of 2, 3 and 4"
node see.mjs
