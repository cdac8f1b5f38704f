#!/usr/bin/env bash
# Asked for move 0 it gives the move that was asked for before: npm's arrayslicer 1.2.3.
#
# Found with: arrayslicer 1.2.3 (npm, 4,400 downloads a month; "optimized binary search over a given array of objects"),
# Node 20.
# A good guess: `get(value)` gives the element whose index has this value, or null. After elements were added `sort()` is
# needed for that, as its README says; so after it the right ones are found.
# What happens: 0 counts as no value, and without one the last element that was fetched is given: `get(0)` is the element of
# the question before, whatever it was, and null at first. And the place of each value that was asked for is kept for good,
# also over a `sort()`: once a smaller one was added, `get(5)` gives another element than 5, and so does `getRange`. And a
# range that begins with the first element is empty: its place, 0, is taken for none.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit arrayslicer@1.2.3 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const IndexedArray = require("arrayslicer");

const plies = (...numbers) => numbers.map((ply) => ({ ply }));

function look(indexed, ply, seen) {
  const guess = indexed.data.find((each) => each.ply === ply) ?? null;
  const found = indexed.get(ply);
  console.log(`get(${ply}) of`, ...indexed.data.map((each) => each.ply), "- guess", guess, "found", found);
  assert.deepEqual(found && found.ply, seen);
}

const moves = new IndexedArray(plies(0, 1, 2, 3), "ply");
look(moves, 0, null);
look(moves, 3, 3);
look(moves, 0, 3);

const data = plies(1, 5, 9);
const reviews = new IndexedArray(data, "ply");
look(reviews, 5, 5);
look(reviews, 9, 9);
data.push({ ply: 3 });
reviews.sort();
assert.deepEqual(data, plies(1, 3, 5, 9));
look(reviews, 5, 3);
look(reviews, 9, 5);
const range = reviews.getRange(5, 9).map((each) => each.ply);
console.log("getRange(5, 9): guess 5 9, found", ...range);
assert.deepEqual(range, [3, 5]);
const fresh = new IndexedArray(plies(1, 3, 5, 9), "ply");
assert.equal(fresh.get(5).ply, 5);
console.log("of 1 3 5 9 getRange(1, 9): guess 1 3 5 9, found", fresh.getRange(1, 9));
assert.deepEqual(fresh.getRange(1, 9), []);
assert.deepEqual(fresh.getRange(0, 9), plies(1, 3, 5, 9));
JS
echo "arrayslicer 1.2.3"
node see.cjs
