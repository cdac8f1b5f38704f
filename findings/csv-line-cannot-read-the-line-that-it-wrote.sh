#!/usr/bin/env bash
# A blank comes back as a zero: npm's csv-line 1.2.0.
#
# Found with: csv-line 1.2.0 (npm, 2,200 downloads a month; "create a line of escaped csv from an array"), Node 20.
# A good guess: `decode` gives the array that `encode` wrote, as the example of its README shows, also with the option
# `separator` (which only its code and its tests name). Numbers come back as numbers, as its tests have it.
# What happens: each text that JavaScript can take for a number becomes one: " " is 0, "007" is 7, "1e3" is 1000, and
# "Infinity" one, too. A line break, which `encode` writes as a backslash and an n, stays these two characters. And `decode`
# always splits at commas: a line that was written with another separator is read as one cell, or cut inside of one.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit csv-line@1.2.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const csvLine = require("csv-line");

function look(csv, cells, seen) {
  const line = csv.encode(cells);
  const found = csv.decode(line);
  console.log(`${JSON.stringify(cells)} is written as ${line} and read as`, found);
  assert.deepEqual(found, seen);
}

look(csvLine, ['"hello"', "I am a *", "a friend, in a"], ['"hello"', "I am a *", "a friend, in a"]);
look(csvLine, [" ", "007", "1e3", "Infinity"], [0, 7, 1000, Infinity]);
look(csvLine, ["two\nlines"], ["two\\nlines"]);
look(csvLine({ separator: ";" }), ["ann", "ben"], ["ann;ben"]);
look(csvLine({ separator: ";" }), ["won, at last", "lost"], ["won", " at last;lost"]);
JS
echo "csv-line 1.2.0; guess: each line is read as what was written"
node see.cjs
