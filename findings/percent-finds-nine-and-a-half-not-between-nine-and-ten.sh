#!/usr/bin/env bash
# 9.5 percent is not between 9 and 10 percent: npm's percent 2.2.0.
#
# Found with: percent 2.2.0 (npm, 2,900 downloads a month; "percent control done right"), Node 20.
# A good guess: `satisfies(value, min, max)` says whether the value is in the range, and exchanges the bounds if `min` is
# the larger one; like `lt` and `gt` it takes numbers and texts with a sign, so "9%" is less than "10%".
# What happens: whether to exchange is asked of the texts, letter by letter, before they are taken for numbers. "9%" comes
# after "10%", so the bounds are exchanged, and no value is in the range from 10 to 9, not even a bound. "100%" and "5%",
# the wrong way round, are not exchanged. Of the 5,050 pairs of whole percents from 0 to 100, the smaller one first, 457
# are such ranges. `lt` has them right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit percent@2.2.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const percent = require("percent");

for (const [value, min, max, seen] of [
  [9.5, 9, 10, true],
  ["9.5%", "9%", "10%", false],
  ["50%", "5%", "100%", false],
  ["50%", "100%", "5%", false],
]) {
  const found = percent.satisfies(value, min, max);
  console.log(`satisfies(${value}, ${min}, ${max}): guess true, found ${found}; ${min} < ${max}: ${percent.lt(min, max)}`);
  assert.equal(found, seen);
}
const whole = Array.from({ length: 101 }, (_, number) => number);
const pairs = whole.flatMap((min) => whole.filter((max) => min < max).map((max) => [`${min}%`, `${max}%`]));
const empty = pairs.filter(([min, max]) => !percent.satisfies(min, min, max) && !percent.satisfies(max, min, max)).length;
console.log(`pairs of bounds in their order with neither bound between them: ${empty} of ${pairs.length}`);
assert.ok(pairs.every(([min, max]) => percent.lt(min, max)));
assert.deepEqual([empty, pairs.length], [457, 5050]);
JS
echo "percent 2.2.0"
node see.cjs
