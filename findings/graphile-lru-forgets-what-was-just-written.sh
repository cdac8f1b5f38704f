#!/usr/bin/env bash
# What was written a moment ago is the first to go: npm's @graphile/lru 4.11.0.
#
# Found with: @graphile/lru 4.11.0, lru-cache 11.2.2, lru_map 0.4.1, tiny-lru 11.4.5, mnemonist 0.40.3 (npm), Node 20.
# A good guess: a cache that drops the least recently used entry counts a new value for an entry as a use, as all the others
# do; so the entry that was just written is the last to be dropped.
# What happens: `get` moves an entry to the front, `set` of one that is there only changes its value. In a table of
# positions whose entries are deepened again and again, but rarely read, the freshest work is thrown away first.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit \
  @graphile/lru@4.11.0 lru-cache@11.2.2 lru_map@0.4.1 tiny-lru@11.4.5 mnemonist@0.40.3 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { LRUCache } = require("lru-cache");
const { LRUMap } = require("lru_map");
const { lru } = require("tiny-lru");
const { LRUCache: Mnemonist } = require("mnemonist");
const Graphile = require("@graphile/lru").default;

const caches = { "@graphile/lru": new Graphile({ maxLength: 2 }), "lru-cache": new LRUCache({ max: 2 }),
  lru_map: new LRUMap(2), "tiny-lru": lru(2), mnemonist: new Mnemonist(2) };
for (const [name, cache] of Object.entries(caches)) {
  cache.set("first", "depth 1");
  cache.set("second", "depth 1");
  cache.set("first", "depth 9");
  cache.set("third", "depth 1");
  const left = ["first", "second", "third"].filter((key) => cache.get(key) !== undefined);
  console.log(`${name}: left are ${left.join(" and ")}`);
  assert.equal(left.join(), name === "@graphile/lru" ? "second,third" : "first,third");
}
JS
echo "@graphile/lru 4.11.0; guess: first and third are left everywhere"
node see.cjs
