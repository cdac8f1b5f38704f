#!/usr/bin/env bash
# Twice eight and one is nine: npm's roll 1.3.2.
#
# Found with: roll 1.3.2 (npm, 3,700 downloads a month), Node 20; each die shows its middle, so "2d6" is 8.
# A good guess: "2d6*2" is twice the dice, and calculations can be joined ("Simple calculation (+, -, *, /)"): "2d6*2+1" is
# 17, and "6d20b2*10" ten times the two best. What it cannot do, `validate` says: it is for "validating user input".
# What happens: the text is split at + and -, and in the first part b and w (best and worst) are looked for, in a later one
# a whole number. So as soon as there is a +, a - or a b, * and / are left out: "2d6*2+1" is 9, "6d20b2*10" is as much as
# "6d20b2". `validate` takes them all. Dice that stand after a + are multiplied ("d20+2d6*2"); of *2*2 the first counts.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit roll@1.3.2 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const Roll = require("roll");

const roll = new Roll(() => 0.5);
for (const [text, guess, seen] of [
  ["2d6", 8, 8],
  ["2d6*2", 16, 16],
  ["2d6+1", 9, 9],
  ["2d6*2+1", 17, 9],
  ["2d6/2-1", 3, 7],
  ["2d6+1*2", 10, 9],
  ["6d20b2", 22, 22],
  ["6d20b2*10", 220, 22],
  ["2d6*2*2", 32, 16],
  ["d20+2d6*2", 27, 27],
]) {
  const { result } = roll.roll(text);
  console.log(`${text}: guess ${guess}, found ${result}, valid: ${roll.validate(text)}`);
  assert.equal(result, seen);
  assert.ok(roll.validate(text));
}
JS
echo "roll 1.3.2"
node see.cjs
