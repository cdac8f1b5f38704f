#!/usr/bin/env bash
# A second game begins with the seconds of the first one: npm's statman-stopwatch 2.18.1.
#
# Found with: statman-stopwatch 2.18.1 (npm, 28,000 downloads a month), Node 20; the script has a clock of its own.
# A good guess: `start()` and `restart()` measure anew, and `reset()` "restores the stopwatch back to init state", paused or
# not; `splitTime` "returns the time as of the split", as `split()` and `read()` do.
# What happens: `resume()` keeps the time so far as `setStartTimeDelta` does for the user, and nothing takes it away: a
# stopwatch that was paused once begins each later run with the time before its last pause. Without a pause all begin with
# 0. And `splitTime()` leaves that time out: the same split is 12 seconds by `read()` and 2 by `splitTime()`.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit statman-stopwatch@2.18.1 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");

let seconds = 1;
performance.now = () => seconds * 1000; // the clock that the package reads
const Stopwatch = require("statman-stopwatch");

function firstGame(watch, paused) {
  watch.start();
  seconds += 10;
  if (paused) {
    watch.suspend();
    seconds += 100;
    watch.resume();
  }
  seconds += 2;
}
for (const [name, again] of Object.entries({
  "stop, start": (watch) => (watch.stop(), watch.start()),
  "restart": (watch) => watch.restart(),
  "stop, reset, start": (watch) => (watch.stop(), watch.reset(), watch.start()),
})) {
  const found = [false, true].map((paused) => {
    const watch = new Stopwatch();
    firstGame(watch, paused);
    again(watch);
    seconds += 1;
    return watch.read() / 1000;
  });
  console.log(`${name}: a second later ${found[0]} s, after a game with a pause ${found[1]} s`);
  assert.deepEqual(found, [1, 11]);
}
const watch = new Stopwatch();
firstGame(watch, true);
watch.split();
console.log(`a split: read ${watch.read() / 1000} s, splitTime ${watch.splitTime() / 1000} s`);
assert.deepEqual([watch.read(), watch.splitTime()], [12000, 2000]);
JS
echo "statman-stopwatch 2.18.1; guess: 1 s each time, and 12 s twice"
node see.cjs
