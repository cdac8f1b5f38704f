#!/usr/bin/env bash
# Who won one game of three drops the weakest opponent, not the strongest: npm's swiss-pairing 1.4.3.
#
# Found with: swiss-pairing 1.4.3 (npm, 600 downloads a month), Node 20.
# A good guess: among equal points the modified median decides: a player below half of the possible points drops the
# strongest opponent's points, one above half the weakest's. How many points a round can bring is the option
# `maxPointsPerRound` in the README ("usually 1 or 2"). So a tournament with 2 points a win has the order of the same one
# with 1 point a win.
# What happens: the code reads `maxPerRound`, a name that the README has elsewhere, not among the options, so the option
# has no effect. With 2 points a win half of the possible points is taken for a quarter: after three rounds a player with
# one win of three counts as above half. So its weakest opponent is dropped in place of the strongest, and the standings
# are in another order; nothing is said.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit swiss-pairing@1.4.3 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const swiss = require("swiss-pairing");

// Winner before loser, in three rounds.
const GAMES = [["AF", "BE", "CD"], ["EA", "FD", "BC"], ["DA", "EC", "BF"]];
const players = [..."ABCDEF"].map((id, place) => ({ id, seed: place + 1 }));
const matches = (win) =>
  GAMES.flatMap((pairs, round) =>
    pairs.map(([won, lost]) => ({ round: round + 1, home: { id: won, points: win }, away: { id: lost, points: 0 } })),
  );

/** The order by hand: wins, then the modified median, then the seed. */
function byHand() {
  const games = GAMES.flat();
  const wins = (id) => games.filter(([won]) => won === id).length;
  const median = (id) => {
    const met = games.filter((pair) => pair.includes(id)).map((pair) => wins(pair.replace(id, ""))).sort((a, b) => a - b);
    return (wins(id) > GAMES.length / 2 ? met.slice(1) : met.slice(0, -1)).reduce((sum, each) => sum + each, 0);
  };
  return players.map(({ id }) => id).sort((a, b) => wins(b) - wins(a) || median(b) - median(a)).join("");
}

function look(options, win) {
  const named = JSON.stringify(options);
  const standings = swiss(options).getStandings(GAMES.length + 1, players, matches(win));
  const order = standings.map(({ id }) => id).join("");
  console.log(`${win} points a win, ${named}: ${order}, modified medians`, ...standings.map((row) => row.tiebreaker));
  return order;
}

console.log("by hand:", byHand());
assert.equal(byHand(), "BECADF");
assert.equal(look({ maxPointsPerRound: 1 }, 1), "BECADF");
assert.equal(look({ maxPointsPerRound: 2 }, 2), "BECFAD");
assert.equal(look({ maxPerRound: 2 }, 2), "BECADF");
JS
echo "swiss-pairing 1.4.3; guess: one order in all lines"
node see.cjs
