#!/usr/bin/env bash
# A curve that rises to 10 has its maximum at 9.9: npm's spline-interpolator 1.0.0.
#
# Found with: spline-interpolator 1.0.0 (npm, 175,000 downloads a month), Node 20.
# A good guess: `max()`, `min()` and `range()` look at the whole curve from its first to its last point, in steps, so a
# rising curve has its maximum where it ends, and a falling one its minimum.
# What happens: of the 100 steps the last one begins before the end, which is never looked at. An axis that is made by
# `range()` cuts the newest value off; with `max(4)` a line from 0 to 10 reaches 7.5. `curve()` beside it has the end.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit spline-interpolator@1.0.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const Spline = require("spline-interpolator");

const [rising, falling] = [new Spline([0, 5, 10], [0, 5, 10]), new Spline([0, 5, 10], [10, 5, 0])];
const near = (found, seen) => assert.ok(Math.abs(found - seen) < 1e-9);
console.log("at 10:", rising.interpolate(10), "max():", rising.max(), "max(4):", rising.max(4), "range():", rising.range());
console.log("falling, at 10:", falling.interpolate(10), "min():", falling.min());
near(rising.interpolate(10), 10);
near(rising.max(), 9.9);
near(rising.max(4), 7.5);
near(falling.min(), 0.1);
near(rising.curve(3).at(-1)[1], 10);
JS
echo "spline-interpolator 1.0.0; guess: 10 each; falling: 0"
node see.cjs
