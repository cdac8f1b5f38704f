#!/usr/bin/env bash
# A table is free from 3 to 10 though a match lasts until 8: npm's intervals-fn 3.0.3.
#
# Found with: intervals-fn 3.0.3 (npm, 108,000 downloads a month), Node 20.
# A good guess: arrays of intervals "have to be sorted" (by their start), and may overlap: `simplify` is there to "unify
# touching or overlapping intervals", and `complement` and `substract` find what none of them covers.
# What happens: each interval is compared with the one just before it. After a short one that lies within a long one the end
# of the long one is forgotten: what comes after the short one is free, and `simplify` leaves overlapping intervals.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit intervals-fn@3.0.3 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { complement, simplify, substract } = require("intervals-fn");

const day = { start: 0, end: 10 };
const matches = [
  { start: 1, end: 8 },
  { start: 2, end: 3 },
  { start: 4, end: 5 },
];
const text = (intervals) => intervals.map(({ start, end }) => `${start}-${end}`).join(" ");
const found = {
  simplify: text(simplify(matches)),
  complement: text(complement(day, matches.slice(0, 2))),
  substract: text(substract([day], matches.slice(0, 2))),
  "substract, simplified before": text(substract([day], simplify(matches.slice(0, 2)))),
};
console.log(`matches ${text(matches)}`, found);
assert.deepEqual(Object.values(found), ["1-8 4-5", "0-1 3-10", "0-1 3-10", "0-1 8-10"]);
JS
echo "intervals-fn 3.0.3; guess: simplify 1-8, the others 0-1 8-10"
node see.cjs
