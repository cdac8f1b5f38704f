#!/usr/bin/env bash
# A bit that was pushed as 0 is read as 1: npm's mnemonist 0.40.8, `BitVector`.
#
# Found with: mnemonist 0.40.8 (npm), Node 20.
# A good guess: a bit vector that grows by `push` and shrinks by `pop` is a stack of bits, as for the way down a tree and
# back: what is pushed is on top, and `size` is "the number of set bits", as `rank` counts them.
# What happens: `pop` only makes the vector shorter: the bit stays in its word, and in `size`. `push(0)` writes nothing, as
# the place behind the end is thought to be 0. So after a 1 was popped, the next 0 pushed is a 1.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit mnemonist@0.40.8 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { BitVector } = require("mnemonist");

const bits = new BitVector();
bits.push(1);
const popped = bits.pop();
console.log("push 1, pop:", popped, "- length", bits.length, "size", bits.size);
assert.deepEqual([popped, bits.length, bits.size], [1, 0, 1]);
bits.push(0);
console.log("push 0: top", bits.get(0), "- size", bits.size, "rank", bits.rank(1));
assert.equal(bits.get(0), 1);

const [stack, model] = [new BitVector(), []];
let wrong = 0;
for (let step = 0; step < 1000; step += 1) {
  const bit = step % 3 === 0 ? 1 : 0;
  if (step % 5 < 3) {
    stack.push(bit);
    model.push(bit);
  } else if (stack.pop() !== model.pop()) wrong += 1;
}
const count = model.filter(Boolean).length;
console.log("wrong bits popped of 400:", wrong, "- set bits left:", count, "- size", stack.size);
assert.ok(wrong > 0 && stack.size > count);
JS
echo "mnemonist 0.40.8; guess: size 0, top 0, no wrong bits"
node see.cjs
