#!/usr/bin/env bash
# A random seed from the whole range of 32 bits is always 0: npm's mtwist 1.0.2.
#
# Found with: mtwist 1.0.2 (npm), Node 20.
# A good guess: `randomIntBetween(0, 4294967295)`, "with proper uniform distribution", gives any number of 32 bits, since
# only a bound above 4294967296 is refused ("Upper bound must not be greater than 4294967296").
# What happens: the mask of the bits that are needed is made by `(1 << 32) - 1`, and in JavaScript `1 << 32` is 1. For every
# bound above 2147483648 each draw is 0, in an instant and without an error; up to there all is well. Who draws seeds for
# games that way plays one game for ever.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit mtwist@1.0.2 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const MTwist = require("mtwist").default;

const twister = new MTwist(20261130);
const draw = (bound) => Array.from({ length: 1000 }, () => twister.randomIntBelow(bound));
for (const bound of [2147483648, 2147483649, 3000000000, 4294967296]) {
  const drawn = draw(bound);
  const different = new Set(drawn).size;
  console.log(`below ${bound}: ${different} different numbers of 1000, the largest is ${Math.max(...drawn)}`);
  assert.equal(different > 990, bound === 2147483648);
  if (bound > 2147483648) assert.deepEqual([...new Set(drawn)], [0]);
}
assert.throws(() => twister.randomIntBelow(4294967297), /must not be greater than 4294967296/);
console.log("randomIntBetween(0, 4294967295):", twister.randomIntBetween(0, 4294967295));
assert.equal(twister.randomIntBetween(0, 4294967295), 0);
assert.ok(twister.randomUInt32() > 0);
JS
echo "mtwist 1.0.2; guess: about 1000 different numbers of 1000 below each bound"
node see.cjs
