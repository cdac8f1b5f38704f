#!/usr/bin/env bash
# The algorithm for the volatility may be chosen, and is not used: npm's glicko2.ts 1.3.2.
#
# Found with: glicko2.ts 1.3.2 (npm, 950 downloads a month), Node 20.
# A good guess: the setting `volatilityAlgorithm` of `Glicko2` is the function that updates volatilities (its types say so);
# the default is the package's `newProcedure`, and it has three others to choose from.
# What happens: the function is put on the prototype of the players, where a field of each player with `newProcedure` hides
# it. It is never called, so the four algorithms give one result, and so does one that answers 0.5. Set on a player itself
# it works.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit glicko2.ts@1.3.2 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const glicko = require("glicko2.ts");

let calls = 0;
function constant() {
  calls += 1;
  return 0.5;
}

/** The volatility after a strong player has lost ten times to a weak one. */
function volatility(volatilityAlgorithm, ofPlayer) {
  const ranking = new glicko.Glicko2({ tau: 0.5, rating: 1500, rd: 200, vol: 0.06, volatilityAlgorithm });
  const [strong, weak] = [ranking.makePlayer(2000, 50, 0.06), ranking.makePlayer(1500, 50, 0.06)];
  if (ofPlayer) strong.volatilityAlgorithm = ofPlayer;
  ranking.updateRatings(Array.from({ length: 10 }, () => [strong, weak, 0]));
  return strong.getVol();
}

const ordinary = volatility(glicko.newProcedure);
for (const name of ["newProcedure", "newProcedure_mod", "oldProcedure", "oldProcedure_simple"]) {
  const set = volatility(glicko.newProcedure, glicko[name]);
  console.log(`${name}: chosen ${volatility(glicko[name])}, set on the player ${set}`);
  assert.equal(volatility(glicko[name]), ordinary);
}
console.log("a function that answers 0.5: chosen", volatility(constant), `- it was called ${calls} times`);
assert.equal(calls, 0);
console.log("the same, set on the player:", volatility(glicko.newProcedure, constant), `- it was called ${calls} times`);
assert.equal(calls, 1);
JS
echo "glicko2.ts 1.3.2; guess: the two numbers of each line are equal, and the function is called"
node see.cjs
