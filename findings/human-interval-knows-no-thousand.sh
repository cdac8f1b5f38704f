#!/usr/bin/env bash
# "two thousand seconds" are two seconds: npm's human-interval 2.0.1.
#
# Found with: human-interval 2.0.1 (npm, 960,000 downloads a month; the scheduler Agenda uses it), numbered 1.1.0, Node 20.
# A good guess: it "supports numbers being written out in English words", as the package `numbered` reads them, which knows
# "two thousand".
# What happens: the "and" of "3 days and 4 hours" is taken away by a pattern that does not ask where a word begins or ends.
# "thousand" loses its last letters, "thous" is no number, and what stands before it remains: two seconds instead of
# 33 minutes, 53 instead of 5003. Hundreds and digits are right, and nothing is said.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit human-interval@2.0.1 numbered@1.1.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const humanInterval = require("human-interval");
const numbered = require("numbered");

for (const [words, seen] of [["two hundred and five", 205], ["two thousand", 2], ["five thousand and three", 53],
  ["one thousand five hundred", 500]]) {
  const seconds = humanInterval(`${words} seconds`) / 1000;
  console.log(`${words} seconds: ${seconds} - numbered: ${numbered.parse(words)}`);
  assert.equal(seconds, seen);
}
assert.equal(humanInterval("2000 seconds"), 2000000);
assert.equal(numbered.parse("two thousand"), 2000);
JS
echo "human-interval 2.0.1; guess: as numbered"
node see.cjs
