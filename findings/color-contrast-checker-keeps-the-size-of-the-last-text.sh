#!/usr/bin/env bash
# Black on dark grey is refused, and passes once a headline was asked about: npm's color-contrast-checker 2.1.0.
#
# Found with: color-contrast-checker 2.1.0 (npm, 138,000 downloads a month), Node 20.
# A good guess: the font size may be left out and is 14 then (`fontSize: 14` in its source); each question is answered by
# itself, and each of the pairs of `checkPairs` by its own size.
# What happens: a size that is given stays in the checker, and every later question without one is about text of that size.
# After one headline of 24 all small text needs a ratio of 3 only instead of 4.5; which pairs pass depends on their order.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit color-contrast-checker@2.1.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const Checker = require("color-contrast-checker");

const checker = new Checker();
const [black, grey] = ["#000000", "#646464"];
const answers = [undefined, 24, undefined].map((size) => checker.isLevelAA(black, grey, size));
console.log("no size, 24, no size:", ...answers);
const pairs = [{ colorA: black, colorB: grey }, { colorA: black, colorB: grey, fontSize: 24 }];
const asked = (list) => new Checker().checkPairs(list).map((result) => result.WCAG_AA);
console.log("a pair without a size before one of 24:", ...asked(pairs), "- behind it:", ...asked([...pairs].reverse()));
assert.deepEqual(answers, [false, true, true]);
assert.deepEqual([asked(pairs), asked([...pairs].reverse())], [[false, true], [true, true]]);
JS
echo "color-contrast-checker 2.1.0; guess: false true false; false true - true false"
node see.cjs
