#!/usr/bin/env bash
# "Lee, Ann" comes back as "Lee", a tab and "Ann": npm's csvjson 5.1.0.
#
# Found with: csvjson 5.1.0, csv-parse 7.0.3 for comparison (npm), Node 20.
# A good guess: `toCSV` writes a value with a comma, a quote or a line break so that readers of CSV get the same value, by
# quotes around it and doubled ones within (RFC 4180, 2.6 and 2.7); its README names no limits.
# What happens: without an option commas and line breaks are replaced by tabs, and a quote stands as it is. With
# `wrap: true` each value has quotes around it and keeps its commas; a line break is a tab still, and quotes within are not
# doubled, so the first one ends the value.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit csvjson@5.1.0 csv-parse@7.0.3 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const csvjson = require("csvjson");
const { parse } = require("csv-parse/sync");

const back = (name, options) => {
  const csv = csvjson.toCSV([{ name, points: 7 }], { headers: "key", ...options });
  try {
    return parse(csv, { columns: true })[0].name;
  } catch (error) {
    return error.code;
  }
};
const seen = [
  ["Ann", "Ann", "Ann"],
  ["Lee, Ann", "Lee\t Ann", "Lee, Ann"],
  ["Ann\nLee", "Ann\tLee", "Ann\tLee"],
  ['Ann "A" Lee', "INVALID_OPENING_QUOTE", "CSV_INVALID_CLOSING_QUOTE"],
];
for (const [name, plain, wrapped] of seen) {
  const found = [back(name, {}), back(name, { wrap: true })];
  console.log(`${JSON.stringify(name)}: ${JSON.stringify(found[0])}, wrapped ${JSON.stringify(found[1])}`);
  assert.deepEqual(found, [plain, wrapped]);
}
JS
echo "csvjson 5.1.0; guess: each name comes back"
node see.cjs
