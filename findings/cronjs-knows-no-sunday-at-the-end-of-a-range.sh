#!/usr/bin/env bash
# Saturday to Sunday is Saturday: npm's @datasert/cronjs-matcher 1.4.0.
#
# Found with: @datasert/cronjs-matcher and @datasert/cronjs-parser 1.4.0 (npm), croner 11.0.0 for comparison, Node 20.
# A good guess: "sat-sun", "6-7" and "mon-sun" have a Sunday in them: the README gives days of the week from 0 to 7 and the
# names sun-sat, ranges are inclusive, and the parser says "sun will act as 0 or 7 depending on if it is in from or to".
# What happens: the parser turns the end of the range into 7, as it says; the matcher compares it with a day from 0 to 6, so
# Sunday never matches a range that ends on it. A plain "7", "sun" and "0-6" do match it. Nothing is said.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @datasert/cronjs-matcher@1.4.0 @datasert/cronjs-parser@1.4.0 croner@11.0.0 \
  >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { Cron } from "croner";
import cronjs from "@datasert/cronjs-matcher";

const startAt = "2026-01-30T00:00:00Z";
const day = (moment) => new Date(moment).toLocaleDateString("en", { weekday: "short", timeZone: "UTC" });
const days = (moments) => [...new Set(moments.map(day))].sort().join(" ");
for (const [range, missing] of [
  ["sat-sun", true], ["6-7", true], ["mon-sun", true], ["0-6", false], ["7", false], ["sun", false],
]) {
  const found = days(cronjs.getFutureMatches(`0 12 * * ${range}`, { startAt, matchCount: 14 }));
  const other = days(new Cron(`0 12 * * ${range}`, { timezone: "UTC" }).nextRuns(14, startAt));
  console.log(`${range}: cronjs ${found}; croner ${other}`);
  assert.match(other, /Sun/);
  assert.equal(found, missing ? other.replace(/ ?Sun/, "") : other);
}
JS
echo "@datasert/cronjs-matcher 1.4.0; guess: a Sunday in each"
node see.mjs
