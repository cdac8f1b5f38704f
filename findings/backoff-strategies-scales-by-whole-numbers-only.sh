#!/usr/bin/env bash
# Half of the delay is the whole delay: npm's @kenyip/backoff-strategies 1.0.4.
#
# Found with: @kenyip/backoff-strategies 1.0.4 (npm, 640 downloads a month), Node 20.
# A good guess: `scaleFactor` multiplies each delay; its README names it as the way to reduce long ones, and gives its type
# as `number`. So 0.5 halves them. And the strategies `polynomial` and `exponential` have different curves.
# What happens: a factor that is no whole number is left out without a word, so no factor reduces a delay (but 0, which
# removes it). 1.5 does nothing either. `polynomial` raises 2 to the number of the attempt, where a polynomial raises the
# number of the attempt: both strategies give one sequence, and the eighth attempt waits 255 s, not about 64 s.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @kenyip/backoff-strategies@1.0.4 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const backoff = require("@kenyip/backoff-strategies");

const ATTEMPTS = [1, 2, 3, 4, 8];

function delays(strategy, scaleFactor) {
  const wait = backoff({ delay: 1000, strategy, scaleFactor });
  return ATTEMPTS.map((attempt) => wait(attempt));
}

for (const strategy of ["fixed", "linear", "fibonacci", "exponential", "polynomial"]) {
  const whole = delays(strategy, 1);
  console.log(`${strategy}, attempts ${ATTEMPTS}: ${whole}; scaled by 0.5: ${delays(strategy, 0.5)}`);
  for (const left of [0.1, 0.5, 0.999, 1.5]) assert.deepEqual(delays(strategy, left), whole);
  for (const taken of [0, 2, 3]) assert.deepEqual(delays(strategy, taken), whole.map((delay) => taken * delay));
}
assert.deepEqual(delays("polynomial", 1), delays("exponential", 1));
assert.deepEqual(delays("polynomial", 1), ATTEMPTS.map((attempt) => (2 ** attempt - 1) * 1000));
JS
echo "@kenyip/backoff-strategies 1.0.4; guess: the second numbers are half of the first, and the last two lines differ"
node see.cjs
