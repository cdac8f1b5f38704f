#!/usr/bin/env bash
# The folder "C:\new" is "C:\" and, on the next line, "ew": npm's node-ical 0.27.2.
#
# Found with: node-ical 0.27.2, ical.js 2.2.1, ical-generator 11.1.2 (npm), Node 20.
# A good guess: what another program wrote as it should is read as it was. A backslash is written twice (RFC 5545, 3.3.11),
# so "C:\\new" in a calendar is a backslash and the word "new", and "\n" alone is a new line.
# What happens: "\n" is looked for before "\\", also where its backslash is the second of two. Of each such pair before an n
# (a folder, a share, TeX's \neq) the n is a new line and the backslash stays. Before other letters all is well; ical.js
# reads the same lines rightly.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit node-ical@0.27.2 ical.js@2.2.1 ical-generator@11.1.2 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import ICAL from "ical.js";
import ical from "ical-generator";
import nodeIcal from "node-ical";

for (const [summary, seen] of [
  ["C:\\games\\six", "C:\\games\\six"],
  ["two\nlines", "two\nlines"],
  ["C:\\new", "C:\\\new"],
  ["a \\neq b", "a \\\neq b"],
]) {
  const calendar = ical({ events: [{ start: new Date(0), end: new Date(3600000), summary }] }).toString();
  const found = Object.values(nodeIcal.sync.parseICS(calendar)).find((each) => each.type === "VEVENT").summary;
  const other = new ICAL.Component(ICAL.parse(calendar)).getFirstSubcomponent("vevent").getFirstPropertyValue("summary");
  console.log([summary, other, found].map((each) => JSON.stringify(each)).join(" "));
  assert.equal(other, summary);
  assert.equal(found, seen);
}
JS
echo "node-ical 0.27.2; guess: as written, as ical.js reads it, and as node-ical reads it are alike"
node see.mjs
