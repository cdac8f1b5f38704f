#!/usr/bin/env bash
# An order of fourteen players becomes a number, and the number an array of 46: npm's permutation-rank 1.0.0.
#
# Found with: permutation-rank 1.0.0 (npm, 118,000 downloads a month), Node 20.
# A good guess: `unrank(length, rank(order))` is the order again, as in its README, as long as the numbers are exact:
# 18! is below 2^53.
# What happens: `rank` counts in plain numbers and is right. `unrank` keeps its factorial and what is left of the rank in
# 32 bits (`| 0`), and 13! does not go into them. From 14 elements on it returns another order, or no order at all, with
# places left empty and elements twice. With whole division instead, the same numbers lead back.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit permutation-rank@1.0.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { rank, unrank } = require("permutation-rank");

const byHand = (length, number) => {
  const order = Array.from({ length }, (_, index) => index);
  for (let i = length - 1, f = order.slice(1).reduce((a, b) => a * b, 1); i > 0; f /= i, i--) {
    const s = Math.floor(number / f);
    number -= s * f;
    [order[i], order[s]] = [order[s], order[i]];
  }
  return order;
};
for (const length of [12, 13, 14, 18]) {
  const first = Array.from({ length }, (_, index) => index);
  for (const order of [first, [...first].reverse()]) {
    const back = unrank(length, rank(order));
    console.log(`${order.slice(0, 6)}, … of ${length}: ${back.slice(0, 6)}, … of ${back.length}`);
    assert.equal(String(back) === String(order), length < 14);
    assert.deepEqual(byHand(length, rank(order)), order);
  }
}
const back = unrank(14, rank(Array.from({ length: 14 }, (_, index) => index)));
assert.deepEqual([back.length, 20 in back, back.filter((element) => element === 0).length], [46, false, 2]);
JS
echo "permutation-rank 1.0.0; guess: each order again"
node see.cjs
