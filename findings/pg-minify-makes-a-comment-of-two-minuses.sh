#!/usr/bin/env bash
# Less a negative number, and the rest of the query is a comment: npm's pg-minify 1.8.0.
#
# Found with: pg-minify 1.8.0, @electric-sql/pglite 0.5.16 (npm, PostgreSQL in WebAssembly), Node 20.
# A good guess: a minified query asks for the same; `compress` removes "all unnecessary spaces", and the one between two
# minuses is needed, since "--" begins a comment; so is the line break between two strings that make up one in SQL.
# What happens: each blank beside an operator goes, so "10 - -3" becomes "10--3", which is 10, and in one line all that
# follows is a comment: FROM and WHERE, which is an error, or the DESC of an order, which is none. 'a' and 'b' in two lines,
# which are 'ab', become 'a''b' ("a'b") when compressed, and 'a' 'b' without it, a syntax error.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit pg-minify@1.8.0 @electric-sql/pglite@0.5.16 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { PGlite } from "@electric-sql/pglite";
import minify from "pg-minify";

const database = new PGlite();
const ask = async (sql) => {
  try {
    return (await database.query(sql, [], { rowMode: "array" })).rows.flat().join(" ");
  } catch (error) {
    return error.message;
  }
};
const seen = [
  ["SELECT 10 - 3", "7", "7", "7"],
  ["SELECT 10 - -3", "13", "13", "10"],
  ["SELECT id - -1 FROM generate_series(1, 3) id WHERE id > 1", "3 4", "3 4", 'column "id" does not exist'],
  ["SELECT id FROM generate_series(1, 3) id ORDER BY id - -1 DESC", "3 2 1", "3 2 1", "1 2 3"],
  ["SELECT 'a'\n  'b'", "ab", "syntax error at or near \"'b'\"", "a'b"],
];
for (const [sql, ...answers] of seen) {
  const texts = [sql, minify(sql), minify(sql, { compress: true })];
  const found = [];
  for (const text of texts) found.push(await ask(text));
  texts.forEach((text, i) => console.log(`${["as it is", "minified", "small"][i]}: ${JSON.stringify(text)}: ${found[i]}`));
  assert.deepEqual(found, answers);
}
await database.close();
JS
echo "pg-minify 1.8.0; guess: three times the same"
node see.mjs
