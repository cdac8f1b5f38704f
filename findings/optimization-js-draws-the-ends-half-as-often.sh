#!/usr/bin/env bash
# Of three settings the middle one is tried twice as often as the others: npm's optimization-js 1.5.0.
#
# Found with: optimization-js 1.5.0 (npm, 3,000 downloads a month), Node 20.
# A good guess: `Integer(low, high)` and `Categorical(categories)` give each value the same chance: `random_sample` will
# "generate random uniformly distributed integer sample from dimension space", and both bounds are "inclusive".
# What happens: a fraction between the bounds is rounded, and to the first and to the last value only half an interval is
# rounded. Of three values the middle one has one half of the draws, and which one that is depends on the order of the list.
# Random search draws all its points so, the genetic one its first points and, by the same formula, each new category.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit optimization-js@1.5.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { Categorical, Integer } = require("optimization-js");

let state = 1;
Math.random = () => (state = (state * 48271) % 2147483647) / 2147483647; // Park and Miller's generator, for equal runs
for (const [name, dimension] of [["Integer(1, 3)", Integer(1, 3)], ["Categorical a, b, c", Categorical(["a", "b", "c"])]]) {
  const counts = {};
  for (let i = 0; i < 30000; i++) {
    const value = dimension.random_sample();
    counts[value] = (counts[value] ?? 0) + 1;
  }
  const found = Object.keys(counts).sort().map((value) => Math.round(counts[value] / 100) / 3);
  console.log(`${name}:`, ...Object.keys(counts).sort().map((value) => `${value} in ${counts[value]}`), "of 30000");
  assert.deepEqual(found.map((share) => Math.round(share)), [25, 50, 25]);
}
JS
echo "optimization-js 1.5.0; guess: about 10000 of each"
node see.cjs
