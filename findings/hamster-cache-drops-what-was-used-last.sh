#!/usr/bin/env bash
# The second key stays, and the last but one goes: npm's @sozialhelden/hamster-cache 1.0.0.
#
# Found with: @sozialhelden/hamster-cache 1.0.0 (npm, 530 downloads a month), Node 20.
# A good guess: of more items than there is room for the least recently used is dropped (`evictExceedingItemsBy`, 'lru' by
# default): of ann, ben and cem, asked for in this order, ann makes room for a fourth. A key that is not in the cache
# changes nothing when it is asked for.
# What happens: a key that is not in the order of use is taken out of it at the place `undefined`, which `splice` takes
# for the first. A key that is dropped has left the order already, so the next one leaves it, too, and is not dropped in
# its turn: of seven keys that are only set, with room for three, the second and the fourth are left, and not the last
# three. A question for an unknown key takes out the first as well, and puts the unknown one in. And the place of each key
# is noted only once: as a key that is used moves to the end, those behind it move by one, so the next use takes out
# another key.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @sozialhelden/hamster-cache@1.0.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const Cache = require("@sozialhelden/hamster-cache").default;

const ROOM = 3;

/** Set and get keys in a cache and in a Map in the order of use, and compare which are left. */
function look(steps, seen) {
  const cache = new Cache({ maximalItemCount: ROOM });
  const model = new Map();
  for (const step of steps) {
    const [what, key] = step.split(" ");
    const known = model.delete(key);
    if (what === "set" && model.size === ROOM) model.delete(model.keys().next().value);
    if (what === "set" || known) model.set(key, 1);
    if (what === "set") cache.set(key, 1);
    else cache.get(key);
  }
  const names = [...new Set(steps.map((step) => step.split(" ")[1]))];
  const guess = names.filter((name) => model.has(name));
  const found = names.filter((name) => cache.has(name));
  console.log(`${steps.join(", ")} - guess: ${guess.join(" ")} - found: ${found.join(" ")}`);
  assert.deepEqual(found, seen.split(" "));
  return guess;
}

const sets = (names) => names.split(" ").map((name) => `set ${name}`);
const gets = (names) => names.split(" ").map((name) => `get ${name}`);
assert.deepEqual(look(sets("ann ben cem dia"), "ben cem dia"), ["ben", "cem", "dia"]);
look(sets("ann ben cem dia eve fay gil"), "ben dia gil");
look([...sets("ann ben"), "get zoe", ...sets("cem dia")], "ann cem dia");
look([...sets("ann ben cem"), ...gets("ann ben cem"), "set dia"], "ann cem dia");
JS
echo "@sozialhelden/hamster-cache 1.0.0"
node see.cjs
