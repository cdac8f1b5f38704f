#!/usr/bin/env bash
# Ranked twice, most of all ranks is gone, and another one comes first: npm's pagerank.js 1.0.2.
#
# Found with: pagerank.js 1.0.2 (npm, 530 downloads a month; "weighted PageRank"), Node 20.
# A good guess: `link` adds a game (from loser to winner, say), `rank` computes the ranks of the links so far; they add up
# to 1 each time. So one may rank after each round.
# What happens: `rank` divides the weights of the links by their sum, and leaves them so; the sum stays what it was. The
# next call divides once more: the ranks add up to 0.17 in the example. A link that is added then weighs as much as several
# before it: with one game more ben is first, where the same links in a new graph have ann first.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit pagerank.js@1.0.2 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const graph = require("pagerank.js");

const LINKS = [
  ["ann", "ben", 3],
  ["ann", "cem", 5],
  ["ben", "ann", 4],
  ["ben", "cem", 2],
  ["cem", "ann", 6],
  ["cem", "ben", 1],
];
const LATER = ["cem", "ben", 1];

function ranks() {
  const found = {};
  graph.rank(0.85, 1e-9, (name, rank) => (found[name] = rank));
  return found;
}

/** The ranks by the definition, 1,000 times over. */
function byHand(links) {
  const names = [...new Set(links.flatMap(([from, to]) => [from, to]))];
  const out = (name) => links.reduce((sum, [from, , weight]) => sum + (from === name ? weight : 0), 0);
  let found = Object.fromEntries(names.map((name) => [name, 1 / names.length]));
  for (let time = 0; time < 1000; time++) {
    const next = Object.fromEntries(names.map((name) => [name, 0.15 / names.length]));
    for (const [from, to, weight] of links) next[to] += (0.85 * found[from] * weight) / out(from);
    found = next;
  }
  return found;
}

const sum = (found) => Object.values(found).reduce((total, rank) => total + rank, 0);
const order = (found) => Object.keys(found).sort((one, other) => found[other] - found[one]).join(" ");
function say(what, found) {
  const each = Object.entries(found).map(([name, rank]) => `${name} ${rank.toFixed(3)}`);
  console.log(`${what}:`, ...each, "- sum", sum(found).toFixed(3), "- order", order(found));
  return found;
}
const near = (one, other) => Object.keys(one).every((name) => Math.abs(one[name] - other[name]) < 1e-6);

for (const link of LINKS) graph.link(...link);
const guess = say("by hand", byHand(LINKS));
assert.ok(near(say("rank", ranks()), guess));
const again = say("rank again", ranks());
assert.equal(sum(again).toFixed(2), "0.17");
graph.link(...LATER);
const later = say("with a link more", ranks());
const right = say("the same by hand", byHand([...LINKS, LATER]));
assert.deepEqual([order(later), order(right)], ["ben ann cem", "ann cem ben"]);
JS
echo "pagerank.js 1.0.2; guess: three equal lines, and two"
node see.cjs
