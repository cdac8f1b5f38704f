#!/usr/bin/env bash
# An interval of 95 percent that has the median in it half of the time: npm's @bunchmark/stats 1.0.0-pre-5.
#
# Found with: @bunchmark/stats 1.0.0-pre-5 (npm, 520 downloads a month; "the statistics primitives used in bunchmark"),
# Node 20.
# A good guess: `lowCI` and `highCI` of `getQuantiles` (its README calls it `getStats`) are "the bounds of the p=.95
# confidence interval over the median": of samples from one distribution 95 in 100 have its median between them.
# What happens: a quarter is left out at each end where 2.5 percent should be: the bounds lie 0.67 standard deviations
# from the middle in place of 1.96, and the median of the distribution is between them in every second sample only: an
# interval of 50 percent. `zForP` of the same package has the right 1.96 for 0.975.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @bunchmark/stats@1.0.0-pre-5 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { getQuantiles, zForP } from "@bunchmark/stats";

const SIZE = 101;
const SAMPLES = 4000;
const sorted = Array.from({ length: SIZE }, (_, value) => value);
const middle = (SIZE - 1) / 2;
const bound = (chance) => middle - zForP(chance) * Math.sqrt((SIZE - 1) / 4);
const found = getQuantiles([...sorted]);
console.log("of 0 to 100:", found.lowCI.toFixed(1), "to", found.highCI.toFixed(1));
console.log("by the package's own zForP(0.975):", bound(0.975).toFixed(1), "to", (2 * middle - bound(0.975)).toFixed(1));
assert.equal(found.lowCI.toFixed(6), bound(0.75).toFixed(6));

let state = 20261201;
const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;

/** How many of the samples have the true median, a half, between two places of their order. */
function covered(bounds) {
  let inside = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const [low, high] = bounds(Array.from({ length: SIZE }, random));
    inside += low <= 0.5 && 0.5 <= high;
  }
  return inside / SAMPLES;
}

const theirs = covered((values) => (({ lowCI, highCI }) => [lowCI, highCI])(getQuantiles(values)));
// The 41st and the 61st of 101: by the binomial distribution 0.955 of all samples.
const byRank = covered((values) => (values.sort((a, b) => a - b), [values[40], values[60]]));
console.log(`the true median is inside: ${theirs} of ${SAMPLES} samples; from the 41st to the 61st: ${byRank}`);
assert.ok(Math.abs(theirs - 0.5) < 0.05);
assert.ok(Math.abs(byRank - 0.955) < 0.02);
JS
echo "@bunchmark/stats 1.0.0-pre-5; guess: the bounds of both first lines are equal, and 0.95 of the samples"
node see.mjs
