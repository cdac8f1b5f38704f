#!/usr/bin/env bash
# "NOW+1DAY" was yesterday, and a span of 5.05 seconds reads 5.5: npm's timespan 2.3.0.
#
# Found with: timespan 2.3.0 (npm, 430,000 downloads a month), Node 20.
# A good guess: `parseDate` reads "2010-04-03T12:34:15Z+12MINUTES" and "NOW-4HOURS", with DAY and DAYS among the "valid
# modifiers", so a plus leads to later days. And what `toString()` writes ("seconds.milliseconds"), `parse()` reads back.
# What happens: of a number of days below a month's the sign is turned, so that they are taken away, with a plus as with a
# minus; hours and months go both ways. The milliseconds are written without zeros before them: 50 are ".50",
# which `parse()` reads as half a second.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit timespan@2.3.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const timespan = require("timespan");

for (const [change, seen] of [["+1DAY", "14T12"], ["+5DAYS", "10T12"], ["-1DAY", "14T12"], ["+13HOURS", "16T01"],
  ["-13HOURS", "14T23"]]) {
  const found = timespan.parseDate(`2026-01-15T12:00:00Z${change}`).toISOString();
  console.log(`15 January, 12:00 ${change}: ${found}`);
  assert.equal(found, `2026-01-${seen}:00:00.000Z`);
}
assert.ok(timespan.parseDate("NOW+1DAY") < new Date() && timespan.parseDate("NOW-1DAY") < new Date());
const months = ["+1MONTH", "-1MONTH"].map((change) => timespan.parseDate(`2026-06-15T12:00:00Z${change}`).getMonth());
assert.deepEqual(months, [6, 4]);
for (const [milliseconds, back] of [[5500, 5500], [5050, 5500], [5005, 5500]]) {
  const text = new timespan.TimeSpan(milliseconds).toString();
  console.log(`${milliseconds} ms: ${text}, read back: ${timespan.parse(text).totalMilliseconds()} ms`);
  assert.equal(timespan.parse(text).totalMilliseconds(), back);
}
JS
echo "timespan 2.3.0; guess: the 16th, the 20th, the 14th, the 16th, the 14th; the same spans"
TZ=UTC node see.cjs
