#!/usr/bin/env bash
# A bot with a goal helps its opponent to reach that goal: boardgame.io 0.50.2's MCTSBot.
#
# Found with: boardgame.io 0.50.2 (npm), Node 20; `objectives(G, ctx, playerID)`, named goals with a checker and a weight:
# they are in the types and tests; the tutorial only announces them.
# A good guess: goals are asked for per player, so that "the flag is mine" is worth its weight to the player who has the
# flag, as a win is counted for the winner alone; of two moves, one of which hands over the flag, the bot takes the other.
# What happens: a playout asks for the goals of whoever is to move, and the score goes to every node on the way, whoever
# moved there. What the opponent reaches counts like what the bot reaches. Of 20 seeds the bot hands over the flag in all;
# without goals it does not know better, and both moves are equal to it. Open issue 906 is about another side of the same
# loop.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit boardgame.io@0.50.2 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { MCTSBot } = require("boardgame.io/ai");
const { InitializeGame } = require("boardgame.io/internal");

const game = {
  setup: () => ({ open: null, flag: null }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    lock: ({ G }) => { G.open = false; },
    open: ({ G }) => { G.open = true; },
    take: ({ G, playerID }) => { G.flag = playerID; },
    wait: () => {},
  },
  endIf: ({ ctx }) => (ctx.turn > 6 ? { draw: true } : undefined),
};
const enumerate = (G, ctx) => {
  if (ctx.turn === 1) return [{ move: "lock" }, { move: "open" }];
  return [{ move: G.open && ctx.turn === 2 ? "take" : "wait" }];
};
const goals = (G, ctx, playerID) => ({
  "the flag is mine": { checker: (position) => position.flag === playerID, weight: 1 },
});
const choose = async (objectives) => {
  const chosen = { lock: 0, open: 0 };
  const mean = { lock: 0, open: 0 };
  for (let seed = 0; seed < 20; seed += 1) {
    const bot = new MCTSBot({ game, enumerate, objectives, seed, iterations: 200 });
    const { action, metadata } = await bot.play(InitializeGame({ game }), "0");
    chosen[action.payload.type] += 1;
    for (const child of metadata.children) {
      mean[child.parentAction.payload.type] += child.value / child.visits / 20;
    }
  }
  return { chosen, mean };
};
(async () => {
  const withGoals = await choose(goals);
  const without = await choose(undefined);
  console.log("with the goal:   ", JSON.stringify(withGoals));
  console.log("without any goal:", JSON.stringify(without));
  assert.deepEqual(withGoals.chosen, { lock: 0, open: 20 });
  assert.ok(withGoals.mean.open > withGoals.mean.lock);
  assert.ok(Math.abs(without.mean.open - without.mean.lock) < 1e-9);
})();
JS
echo "boardgame.io 0.50.2; guess: with the goal it locks in all 20"
node see.cjs
