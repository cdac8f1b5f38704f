#!/usr/bin/env bash
# Anna leaves, and Ann is gone as well: the Trie of npm's data-structure-typed 2.6.2.
#
# Found with: data-structure-typed 2.6.2 (npm, 42,000 downloads a month), Node 20.
# A good guess: `delete(word)` deletes that word; one that it begins with stays, and `size` is the number of words.
# What happens: on the way back from a deleted leaf, a node goes as well if it has no more children and its *parent* is no
# word; whether it is one itself is not looked at. So a word goes along with the one that is a letter longer, unless a third
# word goes on from there, or ends a letter before. `size` still counts it. With two letters more ("annie") it stays.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit data-structure-typed@2.6.2 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { Trie } = require("data-structure-typed");

for (const [words, deleted, left, size] of [
  [["ann", "anna"], "anna", [], 1], [["bob", "ann", "anna"], "anna", ["bob"], 2],
  [["ann", "annie"], "annie", ["ann"], 1], [["ann", "anna", "anne"], "anna", ["ann", "anne"], 2],
  [["ann", "anna"], "ann", ["anna"], 1]]) {
  const trie = new Trie(words);
  assert.equal(trie.delete(deleted), true);
  const found = words.filter((word) => trie.has(word));
  console.log(`${words.join(" ")}, without ${deleted}: ${found.join(" ") || "nothing"}, size ${trie.size}`);
  assert.deepEqual([found, trie.size], [left, size]);
}
JS
echo "data-structure-typed 2.6.2; guess: all but the deleted one"
node see.cjs
