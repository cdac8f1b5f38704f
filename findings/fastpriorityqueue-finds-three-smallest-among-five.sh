#!/usr/bin/env bash
# The three smallest of 2, 15, 4, 12, 9 and 5 are 2, 4 and 9: `kSmallest` of npm's fastpriorityqueue 0.8.0.
#
# Found with: fastpriorityqueue 0.8.0 (npm, 625,000 downloads a month), Node 20.
# A good guess: `kSmallest(k)` is to "return the k 'smallest' elements of the queue", without removing them: those
# that `poll` gives next, 2, 4 and 5.
# What happens: it polls a copy of the first 2^(k-1) + 1 places of the heap. The third smallest may be in any of the first
# three levels, seven places, and only five are looked at (2^k - 1 would do). Two are always right, and all is right where
# the whole heap is copied, as with five of twelve. `poll` is right in all cases.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit fastpriorityqueue@0.8.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const Queue = require("fastpriorityqueue");

function both(values, k) {
  const queue = new Queue();
  values.forEach((value) => queue.add(value));
  return [queue.kSmallest(k), Array.from({ length: k }, () => queue.poll())];
}

const [found, right] = both([2, 15, 4, 12, 9, 5], 3);
console.log(`2 15 4 12 9 5: kSmallest(3) ${found.join(" ")}, polled ${right.join(" ")}`);
assert.deepEqual([found, right], [[2, 4, 9], [2, 4, 5]]);
let state = 1;
const random = () => (state = (state * 48271) % 2147483647);
for (const [k, wrong] of [[2, 0], [3, 108], [4, 70], [5, 0]]) {
  let differ = 0;
  for (let i = 0; i < 1000; i++) {
    const [some, all] = both(Array.from({ length: 12 }, random), k);
    differ += some.join() !== all.join();
  }
  console.log(`kSmallest(${k}) of 12 at random: ${differ} of 1000 differ from poll`);
  assert.equal(differ, wrong);
}
JS
echo "fastpriorityqueue 0.8.0; guess: the same as by poll"
node see.cjs
