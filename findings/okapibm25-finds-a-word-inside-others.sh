#!/usr/bin/env bash
# Asked for "art", it likes a text without that word best: npm's okapibm25 1.4.1.
#
# Found with: okapibm25 1.4.1 (npm, 57,000 downloads a month), Node 20.
# A good guess: Okapi BM25 is "a bag-of-words information retrieval algorithm", says its README, and the frequency of a term
# is the "number of occurences of a word", says its source. A text in which the word does not stand has the score 0.
# What happens: the length of a text is counted in words, the frequency of a term by a pattern that matches anywhere:
# "start", "party" and "smart" are three times "art", and for the inverse document frequency they count as well. So a
# text can have a term more often than it has words, and "win" is found in "winter" and "twin".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit okapibm25@1.4.1 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { default: BM25, getTermFrequency, getWordCount } = require("okapibm25");

const texts = ["modern art museum", "start party smart", "blue sky"];
const scores = BM25(texts, ["art"]);
texts.forEach((text, index) => console.log(`${text}: ${scores[index].toFixed(4)}`));
assert.ok(scores[1] > scores[0] && scores[0] > 0 && scores[2] === 0);
console.log("art in banana-art, bart, artsy:", getTermFrequency("art", "banana-art bart artsy"));
assert.deepEqual([getTermFrequency("an", "banana"), getWordCount("banana")], [2, 1]);
JS
echo "okapibm25 1.4.1; guess: above 0, 0, 0; 1"
node see.cjs
