#!/usr/bin/env bash
# `rel=next; type="text/html"` ends the list of links: npm's li 1.3.0.
#
# Found with: li 1.3.0 (npm, 1.3 million downloads a month), http-link-header 1.1.4 for comparison, Node 20.
# A good guess: "Parse and format Link header": a value may stand with or without quotes, `x=y` and `x="y"` "are equivalent"
# (RFC 8288, 3), whatever comes after it. li does read values without quotes.
# What happens: with a value without quotes its pattern also takes the semicolon behind it, with which the next attribute
# has to begin. That attribute is dropped, and all later links of the header with it, without an error. So a client that
# goes from page to page finds no last page, or no next one.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit li@1.3.0 http-link-header@1.1.4 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const li = require("li");
const LinkHeader = require("http-link-header");

const header = (rel) => `</games?page=1>; rel=${rel}; type="text/html", </games?page=3>; rel="next"`;
for (const [rel, seen] of [
  ['"prev"', "prev next"],
  ["prev", "prev"],
]) {
  const found = Object.keys(li.parse(header(rel))).join(" ");
  const other = LinkHeader.parse(header(rel)).refs.map((link) => link.rel).join(" ");
  console.log(`${header(rel)}\n  li: ${found}; http-link-header: ${other}`);
  assert.deepEqual([found, other], [seen, "prev next"]);
}
JS
echo "li 1.3.0; guess: prev and next both times"
node see.cjs
