#!/usr/bin/env bash
# A minute between two tries, and it comes back after ten seconds: FixedBackoff of npm's simple-backoff 1.1.0.
#
# Found with: simple-backoff 1.1.0 (npm, 13,000 downloads a month), Node 20.
# A good guess: `sequence` "specifies the values to produce in sequence", and "min and max are invalid since the sequence is
# explicit": giving one of them is an error. So a list of waits is what `next()` yields.
# What happens: the class beneath has a `max` of 10000 unless it is given another one, and each value is cut off there. It
# can't be given one here. Sequences up to ten seconds are right; what is longer becomes ten seconds, without an error.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit simple-backoff@1.1.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { FixedBackoff } = require("simple-backoff");

for (const [sequence, waits] of [
  [[100, 300, 5000], [100, 300, 5000]], [[1000, 10000, 60000, 600000], [1000, 10000, 10000, 10000]]]) {
  const backoff = new FixedBackoff({ sequence });
  const found = sequence.map(() => backoff.next());
  console.log(`sequence ${sequence.join(", ")}: ${found.join(", ")}`);
  assert.deepEqual(found, waits);
}
assert.throws(() => new FixedBackoff({ sequence: [60000], max: 60000 }), /`max` is invalid for this strategy/);
JS
echo "simple-backoff 1.1.0; guess: each sequence as it was given"
node see.cjs
