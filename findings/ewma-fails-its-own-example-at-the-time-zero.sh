#!/usr/bin/env bash
# "100 at t=0 and 200 at t=10" make 150 in the README, and 100 at the library: npm's ewma 2.0.1, and moving-average 1.0.1.
#
# Found with: ewma 2.0.1 (npm, 280,000 downloads a month), moving-average 1.0.1 (npm, 22,000), Node 20.
# A good guess: the README's example with a half-life of 10 is 150, by any clock with a `now()`, as Node's `performance`,
# which begins at 0 with the process; and in both the first value is the average until there is a second one.
# What happens: whether a value came before is told from its time. `ewma` acts as if a 0 had come at time 0, which is long
# ago for `Date` alone. `moving-average` asks `if (previousTime)`, so what came at time 0 is replaced by the next value.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit ewma@2.0.1 moving-average@1.0.1 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const Ewma = require("ewma");
const MovingAverage = require("moving-average");

const seen = [];
for (const start of [1_800_000_000_000, 0]) {
  let now = start;
  const ewma = new Ewma(10, undefined, { now: () => now });
  const moving = MovingAverage(10 / Math.LN2);
  const line = [];
  for (const value of [100, 200]) {
    ewma.insert(value);
    moving.push(now, value);
    line.push(Math.round(ewma.value()), Math.round(moving.movingAverage()));
    now += 10;
  }
  console.log(`t from ${start}: ewma ${line[0]}, then ${line[2]}; moving-average ${line[1]}, then ${line[3]}`);
  seen.push(line.join(" "));
}
assert.deepEqual(seen, ["100 100 150 150", "0 100 100 200"]);
JS
echo "ewma 2.0.1, moving-average 1.0.1; guess: 100, then 150 each time"
node see.cjs
