#!/usr/bin/env bash
# 0.3 rounded down to a tenth is 0.2, and 0.07 rounded up to a hundredth 0.08: npm's round 2.0.1.
#
# Found with: round 2.0.1 (npm, 226,000 downloads a month), Node 20.
# A good guess: what is a multiple already stays as it is, up, down or to the nearest ("round numbers to the nearest
# multiple with an optional direction"). It cares for fractions: the result has the decimals of the multiple.
# What happens: 0.3 / 0.1 is 2.9999999999999996, and the integer below it is 2. The result is cared for, the quotient is
# not. Of the 50 tenths up to 5, 16 are put down to the one below. To the nearest, all are right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit round@2.0.1 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const round = require("round");

const wrong = (count, part) => {
  const multiples = Array.from({ length: count }, (_, index) => (index + 1) / part);
  assert.ok(multiples.every((value) => round(value, 1 / part) === value));
  return ["down", "up"].map((way) => multiples.filter((value) => round[way](value, 1 / part) !== value));
};
for (const [count, part, down, up] of [[50, 10, 16, 0], [100, 100, 6, 4]]) {
  const [lower, higher] = wrong(count, part);
  console.log(`down to 1/${part}:`, lower.map((value) => `${value}: ${round.down(value, 1 / part)}`).join(", ") || "none");
  console.log(`up to 1/${part}:`, higher.map((value) => `${value}: ${round.up(value, 1 / part)}`).join(", ") || "none");
  assert.deepEqual([lower.length, higher.length], [down, up]);
}
JS
echo "round 2.0.1; guess: none"
node see.cjs
