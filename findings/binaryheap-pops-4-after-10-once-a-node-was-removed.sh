#!/usr/bin/env bash
# What is due at 4 comes after what is due at 10, once another one was called off: npm's binaryheap 0.0.3.
#
# Found with: binaryheap 0.0.3 (npm, 110,000 downloads a month), Node 20.
# A good guess: `remove(obj)` "removes a previously inserted object from the heap", and `pop()` still "removes and returns
# the maximum or minimum object"; all else comes in order.
# What happens: the last node takes the place of a node with children and is only ever moved down from there. It may be
# smaller than its new parent, if it comes from another branch; then it stays behind it. Without `remove`, and if the last
# node comes from below the removed one, all is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit binaryheap@0.0.3 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const Heap = require("binaryheap");

function order(keys, removed, least) {
  const heap = new Heap(least);
  const nodes = new Map(keys.map((key) => [key, heap.insert({ due: key }, key)]));
  if (removed !== undefined) heap.remove(nodes.get(removed));
  const found = [];
  while (heap.length) found.push(heap.pop().due);
  console.log(least ? "least first," : "greatest first,", `${removed ?? "nothing"} removed: ${found.join(" ")}`);
  return found;
}

const keys = [0, 10, 1, 11, 12, 2, 3, 13, 14, 15, 16, 4];
assert.deepEqual(order(keys, undefined, true), [0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 15, 16]);
assert.deepEqual(order(keys, 11, true), [0, 1, 2, 3, 10, 4, 12, 13, 14, 15, 16]);
assert.deepEqual(order(keys.map((key) => 20 - key), 9, false), [20, 19, 18, 17, 10, 16, 8, 7, 6, 5, 4]);
JS
echo "binaryheap 0.0.3; guess: in order, without the one that was removed"
node see.cjs
