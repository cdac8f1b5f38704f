#!/usr/bin/env bash
# 8 gigabits are less than a gigabyte, and 1 gigabit less than 1024 megabits: npm's filesize-parser 1.5.2.
#
# Found with: filesize-parser 1.5.2 (npm, 110,000 downloads a month), Node 20.
# A good guess: with base 2, its default, "1Kb" is 1024 bits ("200Kb" is 25600 in its README), "1Mb" is 1024 of them, "1Gb"
# 1024 of those, and so on, as the sizes in bytes are.
# What happens: from "Gb" on the factors are decimal numbers of four digits (1.342e+8, 1.374e+11, …). A gigabit is 17,728
# bytes short, a terabit 39 million. Bytes, smaller units and base 10 are right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit filesize-parser@1.5.2 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const parse = require("filesize-parser");

for (const [text, same] of [["8Kb", "1KB"], ["8Mb", "1MB"], ["8Gb", "1GB"], ["1Gb", "1024Mb"], ["8Tb", "1TB"]]) {
  console.log(`${text}: ${parse(text)} - ${same}: ${parse(same)}`);
  assert.equal(parse(text) === parse(same), /[KM]b/.test(text));
  if (/^8/.test(text)) assert.equal(parse(text, { base: 10 }), parse(same, { base: 10 }));
}
assert.deepEqual([parse("1Gb"), parse("1Tb")], [134200000, 137400000000]);
JS
echo "filesize-parser 1.5.2; guess: the same each time"
node see.cjs
