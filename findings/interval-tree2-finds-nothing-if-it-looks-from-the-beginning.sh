#!/usr/bin/env bash
# Which intervals touch 0 to 50? None, though three do: npm's interval-tree2 1.1.0.
#
# Found with: interval-tree2 1.1.0 (npm, 800 downloads a month), Node 20.
# A good guess: `search(start, end)` gives each interval that overlaps the range, `search(point)` each one around the
# point, as its README says: with its own three intervals 22-56, 44-199 and 1-38, the range 0-50 touches all.
# What happens: a binary search answers -1 for "before all of them", and -1 is taken for a place: `slice(-1, ...)` begins
# with the last one. So a range that begins before each stored end finds nothing (or the last interval alone), and around
# a point only the last of several may be found, if all of them end after it. What lies in between is found.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit interval-tree2@1.1.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const IntervalTree = require("interval-tree2");

function look(center, intervals, ...asked) {
  const tree = new IntervalTree(center);
  for (const [start, end] of intervals) tree.add(start, end, `${start}-${end}`);
  const [low, high = low] = asked;
  const all = intervals.filter(([start, end]) => start <= high && end >= low).map(([start, end]) => `${start}-${end}`);
  const found = tree.search(...asked).map(({ id }) => id);
  console.log(`search(${asked}): guess`, ...all, "- found", ...(found.length ? found : ["nothing"]));
  return [found.sort(), all.sort()];
}

const README = [[22, 56], [44, 199], [1, 38]];
assert.deepEqual(look(300, README, 0, 50)[0], []);
assert.deepEqual(look(300, README, 103, 400)[0], ["44-199"]);
const games = [[30, 70], [40, 80], [45, 90]];
assert.deepEqual(look(50, games, 60)[0], ["45-90"]);
assert.deepEqual(...look(50, games, 75));
assert.deepEqual(look(50, games, 10, 100)[0], ["45-90"]);
JS
echo "interval-tree2 1.1.0"
node see.cjs
