#!/usr/bin/env bash
# A seed whose random numbers are 0.5 for ever, and two seeds for each sequence: npm's prando 6.0.1.
#
# Found with: prando 6.0.1 (npm, 240,000 downloads a month), Node 20.
# A good guess: another seed is another sequence, and any number of 32 bits but 0 is a seed, as for the generator that its
# README names, Marsaglia's xorshift with (13, 17, 5): each step of it can be undone, so no two states become one.
# What happens: the shift to the right keeps the sign (`>>` where Marsaglia's numbers are unsigned, `>>>`), so the step
# cannot be undone: the states s and s ^ -67100673 have one successor. Seeds that differ by that give the same numbers,
# and 0 has two predecessors: the seed -67100673 is followed by 0, 0, 0, ..., which are 0.5, or one side of a die for ever.
# (0 itself was reported as a seed, and is replaced. The README gives the period as 2^29 - 1; Marsaglia's is 2^32 - 1.)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit prando@6.0.1 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const Prando = require("prando");

const TWIN = -67100673;
const throws = (seed) => {
  const random = new Prando(seed);
  return Array.from({ length: 12 }, () => random.nextInt(1, 6)).join(" ");
};
for (const seed of [1, 2, 12345678]) {
  console.log(`seed ${seed}: ${throws(seed)}; seed ${seed ^ TWIN}: ${throws(seed ^ TWIN)}`);
  assert.equal(throws(seed), throws(seed ^ TWIN));
}
console.log(`seed ${TWIN}: ${throws(TWIN)}; next() is ${new Prando(TWIN).next()}`);
assert.equal(throws(TWIN), Array(12).fill(4).join(" "));

// The same steps with an unsigned shift: the twins part, and the seed of halves is one like the others.
const step = (x, shift) => ((x ^= x << 13), (x ^= shift(x)), x ^ (x << 5));
assert.equal(step(TWIN, (x) => x >> 17), 0);
assert.notEqual(step(TWIN, (x) => x >>> 17), 0);
assert.notEqual(step(1, (x) => x >>> 17), step(1 ^ TWIN, (x) => x >>> 17));
JS
echo "prando 6.0.1; guess: two sequences in each line, and a last one that changes"
node see.cjs
