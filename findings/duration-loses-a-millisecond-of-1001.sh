#!/usr/bin/env bash
# "1.001s" is one second: npm's @icholy/duration 5.1.0 (Duration.js).
#
# Found with: @icholy/duration 5.1.0 (npm, 20,000 downloads a month), Node 20.
# A good guess: durations are whole milliseconds, and texts may have fractions (its tests have "1.004s" and "14.425s"). So
# "1.001s" is 1001 ms, as is what `toString()` writes for it, "1s1ms".
# What happens: the number is multiplied and the product rounded down. 1.001 times 1000 is 1000.9999999999999 in binary
# fractions, so a millisecond is lost, without a word: from 0.001 to 9.999 in 95 of 9,999 texts with seconds, in 320 with
# minutes. Rounded to the nearest whole number, each of them is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @icholy/duration@5.1.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { Duration } = require("@icholy/duration");

const parsed = (text) => Duration.parse(text).milliseconds();

/** The milliseconds of a text by whole numbers alone. */
function exact(text, unit) {
  const [whole, fraction] = text.split(".");
  const product = BigInt(whole + fraction) * BigInt(unit);
  const scale = 10n ** BigInt(fraction.length);
  assert.equal(product % scale, 0n);
  return Number(product / scale);
}

for (const [name, unit] of [["s", 1000], ["m", 60_000]]) {
  const texts = Array.from({ length: 9999 }, (_, number) => ((number + 1) / 1000).toFixed(3));
  const lost = texts.filter((text) => parsed(text + name) !== exact(text, unit));
  for (const text of lost) assert.equal(parsed(text + name), exact(text, unit) - 1);
  for (const text of texts) assert.equal(Math.round(text * unit), exact(text, unit));
  assert.equal(lost.length, { s: 95, m: 320 }[name]);
  console.log(`${lost.length} of ${texts.length} texts with "${name}" lose a millisecond, first`, ...lost.slice(0, 4));
}
console.log("1.001s:", parsed("1.001s"), "- 1s1ms:", parsed("1s1ms"), "- new Duration(1001):", String(new Duration(1001)));
assert.equal(parsed("1.001s"), 1000);
assert.equal(parsed("1s1ms"), 1001);
JS
echo "@icholy/duration 5.1.0; guess: 0 of 9999 twice, then 1001 and 1001"
node see.cjs
