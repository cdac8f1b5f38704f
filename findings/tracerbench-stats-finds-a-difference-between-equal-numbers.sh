#!/usr/bin/env bash
# Ten numbers differ significantly from themselves: npm's @tracerbench/stats 8.0.1, `getWilcoxonRankSumTest`.
#
# Found with: @tracerbench/stats 8.0.1 (npm, 1,300 downloads a month), Node 20.
# A good guess: `getWilcoxonRankSumTest(control, experiment)` is a test of two independent groups, unpaired, with two tails
# and an alpha of 0.05 (its comment): true for about 1 in 20 pairs of samples from one distribution, at most.
# What happens: the statistic is U, the sum of the ranks less its least value. It is compared with critical values of the
# sum itself, and of the next larger size: with 96 for ten numbers (78 is that of ten), where U, the smaller one
# of both, is never more than 50. So each pair of samples of 3 to 24 numbers is "significant", equal ones, too. For 25,
# the largest size that it takes, the table has no value, and no pair is. And both arrays are sorted in place. (The
# package's own reports use an interval, its source says.)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @tracerbench/stats@8.0.1 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { getWilcoxonRankSumTest } = require("@tracerbench/stats");

let state = 20261201;
const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const sample = (size) => Array.from({ length: size }, random);

/** The smaller U of two samples without ties, by counting pairs. */
function smallerU(one, other) {
  const less = one.flatMap((value) => other.filter((each) => value < each)).length;
  return Math.min(less, one.length * other.length - less);
}

/** The exact chance of a U of at most `most`, in one tail: the share of all orders of both samples that give it. */
function tail(size, most) {
  let counts = new Map([["0,0,0", 1]]);
  for (let place = 0; place < 2 * size; place++) {
    const next = new Map();
    for (const [key, count] of counts) {
      const [ones, others, u] = key.split(",").map(Number);
      for (const [a, b, sum] of [[ones + 1, others, u + others], [ones, others + 1, u]]) {
        if (a <= size && b <= size) next.set(`${a},${b},${sum}`, (next.get(`${a},${b},${sum}`) ?? 0) + count);
      }
    }
    counts = next;
  }
  const all = [...counts];
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  return all.reduce((sum, [key, count]) => sum + (Number(key.split(",")[2]) <= most ? count : 0), 0) / total;
}

const chances = new Map();
function twoTailed(one, other) {
  const u = smallerU(one, other);
  if (!chances.has(u)) chances.set(u, Math.min(1, 2 * tail(one.length, u)));
  return chances.get(u);
}

const same = [1063, 2112, 1154, 988, 1066, 2111, 1097, 1062, 1033, 1017];
const found = getWilcoxonRankSumTest([...same], [...same]);
console.log("ten numbers and the same ten: guess false, found", found);
assert.equal(found, true);

const pairs = Array.from({ length: 400 }, () => [sample(10), sample(10)]);
const exact = pairs.filter(([one, other]) => twoTailed(one, other) <= 0.05).length;
const theirs = pairs.filter(([one, other]) => getWilcoxonRankSumTest([...one], [...other])).length;
console.log(`samples of ten from one distribution: significant ${theirs} of ${pairs.length}, by the exact U test ${exact}`);
assert.equal(theirs, pairs.length);
assert.ok(exact < 0.08 * pairs.length);

const sizes = Array.from({ length: 23 }, (_, index) => index + 3);
const shares = sizes.map((size) => Array.from({ length: 50 }, () => getWilcoxonRankSumTest(sample(size), sample(size))));
const always = sizes.filter((_, index) => shares[index].every(Boolean));
const never = sizes.filter((_, index) => !shares[index].some(Boolean));
console.log(`always significant with ${always[0]} to ${always.at(-1)} numbers, never with ${never}`);
assert.deepEqual([always[0], always.at(-1), always.length, never], [3, 24, 22, [25]]);
const apart = [Array.from({ length: 25 }, (_, value) => value), Array.from({ length: 25 }, (_, value) => 100 + value)];
assert.equal(getWilcoxonRankSumTest(...apart), false);

const unsorted = [3, 1, 2, 5];
getWilcoxonRankSumTest(unsorted, [4, 6, 8, 7]);
assert.deepEqual(unsorted, [1, 2, 3, 5]);
JS
echo "@tracerbench/stats 8.0.1"
node see.cjs
