#!/usr/bin/env bash
# Five wins without a loss are a strong sign, unless three games were drawn: npm's statistics.js 1.0.0, `signTest`.
#
# Found with: statistics.js 1.0.0 (npm, 73,000 downloads a month), Node 20.
# A good guess: pairs of equal values have no sign and are left out, as the page that its documentation links to has it:
# five signs of five have the chance 1/32, with or without ties. And a side that won none has sums as any other.
# What happens: the pairs in which the first value is greater are counted, and all others are the opponent's, drawn ones
# too: five wins and three draws are "5 of 8". Seen from the other side the same games are "0 of 8"; then the sum up to
# -1 is asked for, which is refused on the console, and all sums are NaN.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --ignore-scripts statistics.js@1.0.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const Statistics = require("statistics.js");

const games = (wins, draws) =>
  Array.from({ length: wins + draws }, (_, game) => game < wins ? { ann: 2, ben: 0 } : { ann: 1, ben: 1 });
const test = (rows, ...names) => new Statistics(rows, { ann: "metric", ben: "metric" }).signTest(...names);
for (const [draws, seen] of [[0, 0.03125], [3, 0.36328125]]) {
  const found = test(games(5, draws), "ann", "ben").pAtLeast;
  console.log(`5 wins, ${draws} draws: at least as many by chance: ${found.toFixed(5)}`);
  assert.ok(Math.abs(found - seen) < 1e-4);
}
const other = test(games(5, 3), "ben", "ann");
console.log("the other side:", other);
assert.ok(other.pExactly === 2 ** -8 && [other.pAtMost, other.pAtLeast].every(Number.isNaN));
JS
echo "statistics.js 1.0.0; guess: 0.03125 twice; the other side: pAtMost 0.03125"
node see.cjs
