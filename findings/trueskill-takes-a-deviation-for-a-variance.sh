#!/usr/bin/env bash
# 99 of 100 games for somebody who wins 77: npm's trueskill 0.0.2, `ChanceOfWinning`.
#
# Found with: trueskill 0.0.2, ts-trueskill 5.1.0 (npm, for comparison), Node 20.
# A good guess: a skill is [mu, sigma], as `AdjustPlayers` takes and returns it, and "the chance that trueskill assigns to
# player1 winning vs player2" is that of the difference of two normal distributions with these means and deviations, or
# less, if the luck of a game (beta) counts, too.
# What happens: the second number goes to a distribution of mean and *variance*. A sigma of 7 counts as 2.7, so that chances
# of players who are hardly known lie near 0 and 1; below a sigma of 1 it is the other way round. The ratings are right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit trueskill@0.0.2 ts-trueskill@5.1.0 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { TrueSkill } from "ts-trueskill";
import trueskill from "trueskill";

for (const [first, second, told, right] of [
  [[29.4, 7.17], [20.6, 7.17], 0.99, 0.81], [[25, 25 / 3], [15, 25 / 3], 0.99, 0.8],
  [[25, 0.2], [24.6, 0.2], 0.74, 0.92]]) {
  const model = new TrueSkill(25, 25 / 3, 0);
  const [one, other] = [first, second].map((skill) => [model.createRating(...skill)]);
  const [chance, luckless, usual] = [trueskill.ChanceOfWinning(first, second), model.winProbability(one, other),
    new TrueSkill().winProbability(one, other)].map((value) => value.toFixed(2));
  console.log(`${first.map((n) => n.toFixed(1))} against ${second.map((n) => n.toFixed(1))}: ${chance};`,
    `by ts-trueskill ${luckless} without luck, ${usual} with it`);
  assert.deepEqual([+chance, +luckless], [told, right]);
}
const [ann, bob] = [{ skill: [25, 25 / 3], rank: 1 }, { skill: [25, 25 / 3], rank: 2 }];
trueskill.AdjustPlayers([ann, bob]);
assert.ok(ann.skill[0] > 29 && ann.skill[1] > 7 && ann.skill[1] < 8);
JS
echo "trueskill 0.0.2; guess: 0.81, 0.80 and 0.92, or less with luck"
node see.mjs
