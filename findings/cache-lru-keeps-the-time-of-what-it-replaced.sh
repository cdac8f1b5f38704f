#!/usr/bin/env bash
# What was put in just now is gone, since something older had run out: npm's cache-lru 1.2.0.
#
# Found with: cache-lru 1.2.0 (npm, 25,000 downloads a month), Node 20; the script has a clock of its own.
# A good guess: `set(key, value, expires)`: "if there is already an object stored under key, replace it", and `expires` is
# "the duration in milliseconds the object should maximally last". So a new value lasts from now on for as long as is said
# with it; without `expires` it has no end ("By default this is Infinity").
# What happens: the value is replaced, its time is not. A value that is renewed each second still ends with the first one.
# One that has run out and was not asked for since then is still there to be replaced: the new value is not found a
# moment later, and `get` removes it. And what was first set without an end never ends.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit cache-lru@1.2.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const Cache = require("cache-lru");
let now = 0;
Date.now = () => now;

function look(name, first, pause, second, later) {
  const cache = new Cache();
  cache.set("seat", "ann", first);
  now += pause;
  cache.set("seat", "bob", second);
  now += later;
  const found = [cache.has("seat"), cache.get("seat")];
  console.log(`${name}: ann for ${first} ms, after ${pause} ms bob for ${second} ms; ${later} ms later:`, ...found);
  return found;
}

assert.deepEqual(look("renewed in time", 1000, 900, 1000, 200), [false, undefined]);
assert.deepEqual(look("set again when it was over", 1000, 5000, 1000, 0), [false, undefined]);
assert.deepEqual(look("first without an end", Infinity, 10, 1000, 3_600_000), [true, "bob"]);
JS
echo "cache-lru 1.2.0; guess: true bob, true bob, false undefined"
node see.cjs
