#!/usr/bin/env bash
# "Is any bit set between 1 and 96?" — no, though 32 is: npm's typedfastbitset 0.8.0.
#
# Found with: typedfastbitset 0.8.0 (npm), Node 20.
# A good guess: `hasAnyInRange(start, end)` says whether the set has one of start to end - 1, as a look at `array()` would;
# `has`, `addRange` and `removeRange` agree on what is in the set and on where a range ends.
# What happens: of the words between the first and the last one, the loop leaves out the last (`index < endword - 1`), and a
# range that reaches the end of the set's own words is cut one bit too early. So a set has nothing in a range if its only
# member there lies in the word before the range's last, or is the last bit that the set has room for, as after `trim()`.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit typedfastbitset@0.8.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { TypedFastBitSet } = require("typedfastbitset");

const ask = (member, start, end) => {
  const set = new TypedFastBitSet([member, 250]);
  assert.ok(set.has(member) && set.array().some((bit) => bit >= start && bit < end));
  return set.hasAnyInRange(start, end);
};
for (const [member, start, end, answer] of
  [[32, 1, 96, false], [63, 1, 96, false], [64, 1, 96, true], [40, 1, 64, true], [40, 1, 128, true]]) {
  console.log(`{${member}, 250} has any in ${start} to ${end - 1}:`, ask(member, start, end));
  assert.equal(ask(member, start, end), answer);
}
const only = new TypedFastBitSet([63]);
only.trim();
console.log("{63} has any in 0 to 63:", only.hasAnyInRange(0, 64), "- has(63):", only.has(63));
assert.deepEqual([only.hasAnyInRange(0, 64), only.has(63)], [false, true]);
JS
echo "typedfastbitset 0.8.0; guess: true each time"
node see.cjs
