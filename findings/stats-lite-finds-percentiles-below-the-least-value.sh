#!/usr/bin/env bash
# A tenth of the games took -60 ms or less: `percentile` of npm's stats-lite 2.2.0.
#
# Found with: stats-lite 2.2.0 (npm, 845,000 downloads a month), Node 20.
# A good guess: a percentile lies between the least and the greatest value (2.0.1 mended the upper end); `ptile` may be any
# number above 0 up to 1.
# What happens: below half a value (`length * ptile < 0.5`) the position is negative. `| 0` makes it whole by
# rounding up there, and what remains is negative: the line through the two least values goes on below the least one.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit stats-lite@2.2.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { percentile } = require("stats-lite");

const times = [100, 900, 1000];
const seen = { 0.01: -276, 0.1: -60, 0.15: 60, 0.2: 180, 0.5: 900, 0.9: 1000, 1: 1000 };
for (const [part, value] of Object.entries(seen)) {
  const found = percentile(times, Number(part));
  console.log(`percentile ${part} of ${times.join(", ")}: ${found.toFixed(6)}`);
  assert.ok(Math.abs(found - value) < 1e-6);
}
JS
echo "stats-lite 2.2.0; guess: none below 100"
node see.cjs
