#!/usr/bin/env bash
# Of 1 to 100 the 6th percentile is 6, the 7th is 8, and so is the 8th: npm's percentile 1.6.0.
#
# Found with: percentile 1.6.0 (npm, 250,000 downloads a month), stats-percentile 3.3.0 for comparison, Node 20.
# A good guess: the p-th percentile of n sorted values is the one with the rank n * p / 100, rounded up ("nearest rank"), as
# in its README: 7, 8 and 9 for 70, 80 and 90 of ten values.
# What happens: it rounds up n * (p / 100). 7 / 100 is not exact, and 100 times that is 7.000000000000001: one rank too high
# for 7, 14, 28, 55 and 56 of a hundred values. The other package multiplies first and is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit percentile@1.6.0 stats-percentile@3.3.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const percentile = require("percentile");
const other = require("stats-percentile");

const values = Array.from({ length: 100 }, (_, index) => index + 1);
const list = (wanted) => percentile(wanted, values).join(" ");
console.log("6 7 8 9 of 1 to 100:", list([6, 7, 8, 9]));
const wrong = values.filter((p) => percentile(p, values) !== p);
console.log("other than its own number:", wrong.map((p) => `${p}: ${percentile(p, values)}`).join(", "));
assert.equal(list([6, 7, 8, 9]), "6 8 8 9");
assert.deepEqual(wrong, [7, 14, 28, 55, 56]);
assert.ok(values.every((p) => (other.default ?? other)(values, p) === p));
JS
echo "percentile 1.6.0; guess: 6 7 8 9, and none"
node see.cjs
