#!/usr/bin/env bash
# Who asks first may send twice as much: npm's @kidkarolis/not-so-fast 1.0.1.
#
# Found with: @kidkarolis/not-so-fast 1.0.1 (npm, 2,000 downloads a month), Node 20; the script has a clock of its own.
# A good guess: `new RateLimiter({threshold: 3, ttl: 10})` lets each name have 3 tokens in 10 seconds; the 10 seconds begin
# with the first token that is taken, and end in a reset, "and won't scheduler any more reset until he consumes another
# token". `hasTokenSync` checks without taking one: its README recommends to call it before each login.
# What happens: a question about a name that has taken nothing starts a reset, each question another one, and they hit
# whatever was taken meanwhile. Asked at 0 s and taken from 9.9 s on: at 10 s the tokens are all back, 6 of 3 are used in
# 0.2 seconds. After a question in each of ten seconds, 30 tokens are to be had in the next ten.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @kidkarolis/not-so-fast@1.0.1 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const RateLimiter = require("@kidkarolis/not-so-fast");

let now = 0;
let timers = [];
globalThis.setTimeout = (run, delay) => timers.push({ at: now + delay, run });

function until(time) {
  now = time;
  const due = timers.filter(({ at }) => at <= now);
  timers = timers.filter(({ at }) => at > now);
  for (const { run } of due) run();
}

/** How many tokens "ann" gets at each of some times, having asked at others. */
function taken(asks, takes) {
  now = 0;
  timers = [];
  const limiter = new RateLimiter({ threshold: 3, ttl: 10 });
  const times = [...new Set([...asks, ...takes])].sort((one, other) => one - other);
  const got = [];
  for (const time of times) {
    until(time);
    if (asks.includes(time)) assert.equal(typeof limiter.hasTokenSync("ann"), "boolean");
    if (takes.includes(time)) got.push(Array.from({ length: 4 }, () => limiter.consumeSync("ann")).filter(Boolean).length);
  }
  return got;
}

const LATE = [9900, 10100];
console.log("tokens at 9.9 and 10.1 s, not asked:", ...taken([], LATE), "- asked at 0 s:", ...taken([0], LATE));
assert.deepEqual(taken([], LATE), [3, 0]);
assert.deepEqual(taken([0], LATE), [3, 3]);

const EACH = Array.from({ length: 10 }, (_, second) => 1000 * second);
const later = EACH.map((time) => 10_500 + time);
const sum = (counts) => counts.reduce((total, count) => total + count, 0);
const calm = sum(taken([], later));
const asked = sum(taken(EACH, later));
console.log(`tokens from 10.5 to 19.5 s, not asked: ${calm}; asked each second from 0 to 9 s: ${asked}`);
assert.equal(calm, 3);
assert.equal(asked, 30);
JS
echo "@kidkarolis/not-so-fast 1.0.1; guess: 3 0 and 3 0, then 3 and 3"
node see.cjs
