#!/usr/bin/env bash
# Two decks are four the next time: npm's shuffle 0.2.5.
#
# Found with: shuffle 0.2.5 (npm, 1,000 downloads a month; "shuffling and dealing decks of cards"), Node 20.
# A good guess: `shuffle({deck, numberOfDecks})` makes a shuffled deck with the cards that number of times, on each call:
# what is given to it are options.
# What happens: the larger deck is written into the options, so the next call with them begins with that: 6, 12, 24 cards
# of three. Options without a deck keep the one of the first call: 104 cards, then 208. The array that was given stays as
# it is, so nothing of it is to be seen there.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit shuffle@0.2.5 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { shuffle } = require("shuffle");

function look(options, ...seen) {
  const named = JSON.stringify(options);
  const lengths = seen.map(() => shuffle(options).length);
  console.log(`${named}: guess ${seen.map(() => seen[0]).join(" ")}, found ${lengths.join(" ")}`);
  assert.deepEqual(lengths, seen);
}

const deck = ["ann", "ben", "cem"];
look({ deck }, 3, 3, 3);
look({ deck, numberOfDecks: 2 }, 6, 12, 24);
look({ numberOfDecks: 2 }, 104, 208, 416);
assert.equal(deck.length, 3);
JS
echo "shuffle 0.2.5"
node see.cjs
