#!/usr/bin/env bash
# The first of a queue is also its last, with another behind it: npm's @datastructures-js/priority-queue 6.4.0.
#
# Found with: @datastructures-js/priority-queue 6.4.0 (npm, 1.2 million downloads a month) on its heap 4.3.7, Node 20.
# A good guess: `back()` "returns an element with lowest priority in the queue", so null only if the queue is empty.
# What happens: the element at the back is kept beside the heap, and forgotten when an equal one is taken from the front. So
# after one of two sevens `back()` is null though the other is still there; what is put in next becomes the back, whatever
# its priority. `toArray()` and the order in which elements are taken are right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @datastructures-js/priority-queue@6.4.0 @datastructures-js/heap@4.3.7 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { MinPriorityQueue } = require("@datastructures-js/priority-queue");

const queue = new MinPriorityQueue();
const seen = [];
const see = (step) => {
  seen.push(queue.back());
  console.log(`${step}: the queue is [${queue.toArray()}], front ${queue.front()}, back ${queue.back()}`);
};
queue.enqueue(7);
queue.enqueue(7);
see("7 and 7 put in");
queue.dequeue();
see("one taken");
queue.enqueue(3);
see("3 put in");
assert.deepEqual(seen, [7, null, 3]);
assert.deepEqual(queue.toArray(), [3, 7]);
JS
echo "@datastructures-js/priority-queue 6.4.0; guess: back 7 each time"
node see.cjs
