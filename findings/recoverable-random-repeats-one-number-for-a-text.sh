#!/usr/bin/env bash
# A text for a seed gives one number for ever: npm's recoverable-random 1.0.5.
#
# Found with: recoverable-random 1.0.5 (npm, 720 downloads a month), Node 20.
# A good guess: `new NumberGenerator(seed)` takes a number or a text, and then gives a sequence; the example of its README
# begins with the text "seed" and has 6, 1.458..., 6 and 8.
# What happens: a text becomes a number of up to 18 digits. From 2^53 on, with 16 digits, the numbers of JavaScript are more
# than 1 apart, and the step to the next state, which adds 1, changes nothing: all numbers are equal. So it is with 959 of
# 1,000 names.
# The numbers 1 and 2026 as seeds are followed by several.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit recoverable-random@1.0.5 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const NumberGenerator = require("recoverable-random").default;

const draw = (seed, count) => {
  const generator = new NumberGenerator(seed);
  return Array.from({ length: count }, () => generator.random(0, 10));
};
const isStuck = (seed) => new Set(draw(seed, 100)).size === 1;

for (const seed of ["seed", "ladder", "match 1", 1, 2026]) {
  console.log(`seed ${JSON.stringify(seed)}: ${draw(seed, 10).join(" ")}`);
  assert.equal(isStuck(seed), typeof seed === "string");
}
const state = Number(new NumberGenerator("seed").getStateCode());
console.log(`the state of "seed" is ${state}, and as much after 1 was added: ${state + 1 === state}`);
assert.ok(state + 1 === state);

const names = Array.from({ length: 1000 }, (_, number) => `bot ${number}`);
const stuck = names.filter(isStuck).length;
console.log(`of ${names.length} names ${stuck} give 100 times one number`);
assert.equal(stuck, 959);
JS
echo "recoverable-random 1.0.5; guess: several numbers in each line"
node see.cjs
