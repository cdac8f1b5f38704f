#!/usr/bin/env bash
# A cache for two shows a thousand values, and after a removal one for three has four keys: npm's map-lru 2.1.0.
#
# Found with: map-lru 2.1.0 (npm, 11,000 downloads a month; "useful for caching with limited memory usage"), Node 20.
# A good guess: a Map of at most `maxSize` entries, "API compatible": `keys()`, `values()`, `entries()` and iteration agree
# with `size`, and what is dropped for want of room is what was used least recently.
# What happens: what is dropped leaves the keys only. Its value stays, and `values()`, `entries()` and iteration show it:
# memory is not limited, and more entries are seen than `size` says. And `delete` frees the place of its key, but the next
# key gets the place after the last one, which belongs to another key: the two share it. One of them is not dropped in its
# turn, so `size` says 3 for four keys; in the order of use (`keysAccessed`) it is missing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit map-lru@2.1.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const MapLRU = require("map-lru");

const cache = new MapLRU(2);
for (let game = 1; game <= 1000; game++) cache.set(game, `board ${game}`);
console.log("set 1000 keys in a cache for 2: size", cache.size, "keys", [...cache.keys()].length);
console.log("values", [...cache.values()].length, "entries", [...cache.entries()].length, "has(1):", cache.has(1));
assert.equal(cache.size, 2);
assert.equal([...cache.keys()].length, 2);
assert.equal([...cache.values()].length, 1000);
assert.deepEqual([...cache][0], [1, "board 1"]);

/** What a plain Map does that forgets the least recently used of three. */
class Model extends Map {
  set(key, value) {
    this.delete(key);
    super.set(key, value);
    if (this.size > 3) this.delete(this.keys().next().value);
    return this;
  }
}

function play(seats) {
  for (const name of ["ann", "ben", "cem"]) seats.set(name, 1);
  seats.delete("ann");
  for (const name of ["dia", "eve", "fay", "gil"]) seats.set(name, 1);
  return [...seats.keys()];
}

const model = play(new Model());
const seats = new MapLRU(3);
const found = play(seats);
console.log("ann ben cem, without ann, then dia eve fay gil: guess", ...model, "- found", ...found);
console.log("in the order of use:", ...seats.keysAccessed(), "- size", seats.size);
assert.deepEqual([...seats.keysAccessed()], model);
assert.equal(seats.size, 3);
assert.deepEqual(model, ["eve", "fay", "gil"]);
assert.deepEqual(found, ["cem", "eve", "fay", "gil"]);
JS
echo "map-lru 2.1.0; guess: 2 keys, 2 values and 2 entries"
node see.cjs
