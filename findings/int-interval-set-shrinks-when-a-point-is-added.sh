#!/usr/bin/env bash
# 0 to 1, and 0 once more, make 0: npm's int-interval-set 0.1.3.
#
# Found with: int-interval-set 0.1.3 (npm, 480 downloads a month; "for integer-only use cases like timestamps and
# sequential id numbers"), Node 20.
# A good guess: `union(lower, upper)` adds an interval, so a set only grows; intervals may be "out of order and
# overlapping". What is in it is in one of its `intervals`.
# What happens: a point inside an interval becomes its end, and an interval that ends just before another one can take away
# those behind it. Numbers are lost without a word. Of all pairs of intervals within 0 to 9 one in fourteen is put
# together wrongly, counted with a Set of JavaScript.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit int-interval-set@0.1.3 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const IntIntervalSet = require("int-interval-set");

const numbers = ({ lower, upper }) => Array.from({ length: upper - lower + 1 }, (_, step) => lower + step);
const text = (intervals) => intervals.map(({ lower, upper }) => `${lower}-${upper}`).join(" ");

/** What is in the set after some unions, and what should be. */
function look(...added) {
  const set = new IntIntervalSet();
  for (const { lower, upper } of added) set.union(lower, upper);
  const guess = [...new Set(added.flatMap(numbers))].sort((one, other) => one - other);
  return { intervals: set.intervals, found: set.intervals.flatMap(numbers).join(" "), guess: guess.join(" ") };
}

const interval = (lower, upper) => ({ lower, upper });
for (const added of [
  [interval(0, 1), interval(0, 0)],
  [interval(10, 20), interval(15, 15)],
  [interval(17, 19), interval(29, 31), interval(8, 11), interval(5, 7)],
]) {
  const { intervals, found, guess } = look(...added);
  console.log("union", text(added), "- guess:", guess, "- found:", text(intervals));
  assert.notEqual(found, guess);
}
assert.equal(look(interval(0, 1), interval(0, 0)).found, "0");

const small = Array.from({ length: 10 }, (_, lower) => lower).flatMap((lower) =>
  Array.from({ length: 10 - lower }, (_, length) => interval(lower, lower + length)),
);
const pairs = small.flatMap((one) => small.map((other) => look(one, other)));
const wrong = pairs.filter(({ found, guess }) => found !== guess).length;
console.log(`two intervals of 0 to 9: ${wrong} of ${pairs.length} unions are wrong`);
assert.deepEqual([wrong, pairs.length], [210, 3025]);
JS
echo "int-interval-set 0.1.3"
node see.cjs
