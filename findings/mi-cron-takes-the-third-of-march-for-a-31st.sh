#!/usr/bin/env bash
# The 31st of February is the 3rd of March: npm's @cheap-glitch/mi-cron 1.0.1.
#
# Found with: @cheap-glitch/mi-cron 1.0.1 (npm), croner 11.0.0 for comparison, Node 20.
# A good guess: nextDate "returns the next date that matches the schedule", so each date for "0 12 31 * *" is a 31st, and
# months that have none are left out, as cron does.
# What happens: day, month and year are looked for one by one and put together at the end by Date.UTC, which carries what is
# too much. A job for the 31st runs on the 3rd of March and on the 1st of May, July, October and December too, one for the
# 29th of February on the 1st of March of years that have none. Its own parseCron does not have these days.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @cheap-glitch/mi-cron@1.0.1 croner@11.0.0 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { Cron } from "croner";
import { parseCron } from "@cheap-glitch/mi-cron";

const text = (date) => date.toISOString().slice(0, 10);
const start = new Date("2026-01-01T00:00:00Z");
const seen = {
  "0 12 31 * *": "01-31 03-03 03-31 05-01 05-31 07-01 07-31 08-31 10-01 10-31 12-01 12-31",
  "0 12 29 2 *": "03-01 03-01 02-29 03-01 03-01 03-01 02-29",
};
for (const [expression, dates] of Object.entries(seen)) {
  const count = dates.split(" ").length;
  const found = [];
  for (let date = start; found.length < count; found.push(text(date))) date = parseCron.nextDate(expression, date);
  const other = new Cron(expression, { timezone: "UTC" }).nextRuns(count, start).map(text);
  console.log(`${expression}\n  mi-cron ${found.join(" ")}\n  croner  ${other.join(" ")}`);
  assert.equal(found.map((date) => date.slice(5)).join(" "), dates);
  assert.deepEqual(parseCron(expression).days, [Number(expression.split(" ")[2])]);
  assert(other.every((date) => parseCron(expression).days.includes(Number(date.slice(8)))));
}
JS
echo "@cheap-glitch/mi-cron 1.0.1; guess: 31sts and leap days alone"
node see.mjs
