#!/usr/bin/env bash
# A list of players has one more, `null`, once a round robin was made of it: npm's tournament-pairings 2.0.1.
#
# Found with: tournament-pairings 2.0.1 (npm), Node 20; `RoundRobin(players, startingRound, ordered)`.
# A good guess: a schedule is returned and the list stays the caller's, as it does if the order is shuffled (ordered =
# false); a player who joins later makes three players four, who need three rounds.
# What happens: with `ordered` and an odd number the bye is pushed onto the caller's own list. What counts the list has a
# player too many. Made again after a fourth player joined, the schedule has five rounds instead of three, one match of
# no one against no one, and two rounds without a game for each player.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit tournament-pairings@2.0.1 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { RoundRobin } from "tournament-pairings";

const rounds = (matches) => new Set(matches.map((match) => match.round)).size;
const shuffled = ["Ann", "Bo", "Cy"];
RoundRobin(shuffled, 1, false);
console.log("players after a schedule in any order:", shuffled);
assert.deepEqual(shuffled, ["Ann", "Bo", "Cy"]);

const players = ["Ann", "Bo", "Cy"];
RoundRobin(players, 1, true);
console.log("players after a schedule in their order:", players);
assert.deepEqual(players, ["Ann", "Bo", "Cy", null]);

players.push("Di");
const fresh = RoundRobin(["Ann", "Bo", "Cy", "Di"], 1, true);
const again = RoundRobin(players, 1, true);
const idle = again.filter((match) => (match.player1 === "Ann") !== (match.player2 === "Ann"))
  .filter((match) => match.player1 === null || match.player2 === null).length;
const empty = again.filter((match) => match.player1 === null && match.player2 === null).length;
console.log(`rounds for four players: ${rounds(fresh)}, from the list above: ${rounds(again)};`,
  `Ann is without a game in ${idle}, matches of no one: ${empty}`);
assert.deepEqual([rounds(fresh), rounds(again), idle, empty], [3, 5, 2, 1]);
JS
node see.mjs
