#!/usr/bin/env bash
# A Mersenne Twister of period 624 instead of 2^19937 - 1: npm's fn-mt 1.2.1.
#
# Found with: fn-mt 1.2.1, mersenne-twister 1.1.0 (npm, for comparison), Node 20.
# A good guess: "functional implementation of Mersenne Twister": the numbers of MT19937 for that seed, as C++'s
# `std::mt19937` and NumPy's `RandomState` have them, and a state of the same size however many numbers were drawn.
# What happens: each new word is appended behind the 624 words of the seed, where no later step looks, so only the seed's
# words are ever read. From the 625th number on the same 624 come again, also by `randRange`: dice and shuffles of a long
# match repeat. None of the 624 is among the first 6240 of MT19937, and the state grows and is copied with each draw.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit fn-mt@1.2.1 mersenne-twister@1.1.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { newRandGen, randNext, randRange } = require("fn-mt");
const Reference = require("mersenne-twister");

const draw = (next, count) => {
  let state = newRandGen(42);
  const drawn = [];
  for (let index = 0; index < count; index += 1) {
    const [number, after] = next(state);
    drawn.push(number);
    state = after;
  }
  return [drawn, state];
};
const [numbers, state] = draw(randNext, 6240);
const [dice] = draw((before) => randRange(1, 7, before), 1248);
const reference = new Reference(42);
const expected = new Set(Array.from({ length: 6240 }, () => reference.random_int()));
const common = numbers.filter((number) => expected.has(number)).length;
console.log(`different numbers of 6240: ${new Set(numbers).size}, by the reference ${expected.size};`,
  `in common: ${common}; words in the state: ${state.x.length}`);
console.log("dice 1 to 10:   ", dice.slice(0, 10).join(" "));
console.log("dice 625 to 634:", dice.slice(624, 634).join(" "));
assert.equal(new Set(numbers).size, 624);
assert.equal(expected.size, 6240);
assert.equal(common, 0);
assert.equal(state.x.length, 624 + 6240);
assert.deepEqual(numbers.slice(0, 624), numbers.slice(624, 1248));
assert.deepEqual(dice.slice(0, 12), dice.slice(624, 636));
JS
echo "fn-mt 1.2.1; guess: 6240 different numbers, all in common, and 624 words"
node see.cjs
