#!/usr/bin/env bash
# "los" is "loss", but "loss" is not "los": npm's metric-lcs 0.1.2.
#
# Found with: metric-lcs 0.1.2 (npm, 670,000 downloads a month), Node 20.
# A good guess: the longest common subsequence of two texts, divided by the longer one's length: 1 for equal texts and for
# no others, and the same whichever text stands first; "ignores edit distance and lowers the cost of insertion".
# What happens: the table is `Array(n).fill(Array(m).fill(0))`: all rows are one array. So the value to the upper left, from
# before this letter of the first text, is the one just written, and a letter of the first text is matched with each
# equal one of the second. Where no letter stands twice in the second text, all is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit metric-lcs@0.1.2 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const metric = require("metric-lcs");

const common = (a, b) => !a || !b ? 0 : a[0] === b[0] ? 1 + common(a.slice(1), b.slice(1))
  : Math.max(common(a.slice(1), b), common(a, b.slice(1)));
for (const [a, b, seen] of [["los", "loss", 1], ["loss", "los", 0.75], ["win", "wwwiiinnn", 1], ["wwwiiinnn", "win", 3 / 9],
  ["ABDEF", "ABDIF", 0.8]]) {
  const right = common(a, b) / Math.max(a.length, b.length);
  console.log(`${a}, ${b}: ${metric(a, b)} - by hand: ${right}`);
  assert.equal(metric(a, b), seen);
}
JS
echo "metric-lcs 0.1.2; guess: as by hand"
node see.cjs
