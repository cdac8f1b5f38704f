#!/usr/bin/env bash
# The least recently used stays, and another goes: npm's @sozialhelden/hamster-cache 1.0.0.
#
# Found with: @sozialhelden/hamster-cache 1.0.0 (npm, 530 downloads a month), Node 20.
# A good guess: of more items than there is room for the least recently used is dropped (`evictExceedingItemsBy`, 'lru' by
# default): of ann, ben and cem, asked for in this order, ann makes room for a fourth.
# What happens: the place of each key in the order of use is noted once. As a key moves to the end those behind it move by
# one, and the notes stay: the next move takes out another key. Ben goes in the example; of 200 runs of 30 steps with six
# keys and room for four each drops a wrong key, or ends with a TypeError in `set`.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @sozialhelden/hamster-cache@1.0.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const Cache = require("@sozialhelden/hamster-cache").default;

const seats = new Cache({ maximalItemCount: 3 });
const names = ["ann", "ben", "cem"];
for (const name of names) seats.set(name, 1);
for (const name of names) seats.get(name);
seats.set("dia", 1);
const left = [...names, "dia"].filter((name) => seats.has(name));
console.log("guess: ben cem dia - found:", ...left);
assert.deepEqual(left, ["ann", "cem", "dia"]);

let state = 20261201;
const random = (bound) => Math.floor(((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32) * bound);

/** Whether a cache with room for four keeps, for 30 steps, what a Map in the order of use keeps. */
function agrees() {
  const cache = new Cache({ maximalItemCount: 4 });
  const model = new Map();
  for (let step = 0; step < 30; step++) {
    const key = random(6);
    const known = model.delete(key);
    if (!known && model.size === 4) model.delete(model.keys().next().value);
    model.set(key, 1);
    try {
      if (known) cache.get(key);
      else cache.set(key, 1);
    } catch (error) {
      assert.ok(error instanceof TypeError);
      return false;
    }
    if ([...model.keys()].some((each) => !cache.has(each))) return false;
  }
  return true;
}

const RUNS = 200;
const right = Array.from({ length: RUNS }, agrees).filter(Boolean).length;
console.log(`runs that keep the right four: guess ${RUNS}, found ${right} of ${RUNS}`);
assert.equal(right, 0);
JS
echo "@sozialhelden/hamster-cache 1.0.0"
node see.cjs
