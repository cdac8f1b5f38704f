#!/usr/bin/env bash
# The distance of "saturday" and "sunday" is 3, and greater than 3: npm's levenshtein-search 0.1.2.
#
# Found with: levenshtein-search 0.1.2 (npm), Node 20.
# A good guess: `isEditDistanceNoGreaterThan(a, b, max)` is `editDistance(a, b) <= max`, only sooner known.
# What happens: it looks for the start of the longer text that is closest to the shorter one, as in a search for a part, and
# counts the rest as added. The way that is shortest as a whole may begin with a start that is not the closest. So a
# misspelt name within the bound is missed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit levenshtein-search@0.1.2 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { editDistance, isEditDistanceNoGreaterThan } = require("levenshtein-search");

for (const [a, b, distance, seen] of [
  ["sitting", "kitten", 3, true],
  ["saturday", "sunday", 3, false],
  ["a", "ccac", 3, false],
]) {
  const found = isEditDistanceNoGreaterThan(a, b, distance);
  console.log(`${a}, ${b}: distance ${editDistance(a, b)}; no greater than ${distance}: ${found}`);
  assert.deepEqual([editDistance(a, b), found], [distance, seen]);
}
JS
echo "levenshtein-search 0.1.2; guess: true each time"
node see.cjs
