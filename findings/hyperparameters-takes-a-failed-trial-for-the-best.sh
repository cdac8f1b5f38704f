#!/usr/bin/env bash
# The first trial failed, and it is the best of all: npm's hyperparameters 0.25.6.
#
# Found with: hyperparameters 0.25.6 (npm), Node 20; "javascript hyperparameters search", after Python's hyperopt.
# A good guess: a trial may end with the status "fail", without a loss (a setting that the program refuses); `argmin` is the
# best of those that are "ok", and which trial came first is the same.
# What happens: the search for the best begins with the first trial, whatever its status, and nothing is less than its
# missing loss. So if the first one fails, `argmin` is its setting, and all others are in vain. Later failures do no harm.
# And `losses()` gives a loss of 0, the best there is, as undefined.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit hyperparameters@0.25.6 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const hpjs = require("hyperparameters");

const search = async (failing) => {
  let asked = 0;
  const loss = (x) => {
    asked += 1;
    return asked === failing ? { status: hpjs.STATUS_FAIL } : { status: hpjs.STATUS_OK, loss: Math.round(Math.abs(x - 3)) };
  };
  const options = { rng: new hpjs.RandomState(5) };
  return hpjs.fmin(loss, hpjs.uniform(-5, 5), hpjs.search.randomSearch, 200, options);
};
(async () => {
  for (const failing of [1, 2, 100]) {
    const trials = await search(failing);
    const first = trials.args[0];
    const losses = trials.losses();
    console.log(`trial ${failing} fails: argmin ${trials.argmin.toFixed(2)}, first setting ${first.toFixed(2)};`,
      `losses undefined ${losses.filter((each) => each === undefined).length}, of them 0`,
      trials.results.filter(({ loss }) => loss === 0).length);
    assert.equal(trials.argmin === first, failing === 1);
    assert.equal(Math.abs(trials.argmin - 3) < 0.5, failing !== 1);
    assert.ok(!losses.includes(0) && losses.filter((each) => each === undefined).length > 1);
  }
})();
JS
echo "hyperparameters 0.25.6; guess: argmin near 3 each time, and one loss undefined"
node see.cjs
