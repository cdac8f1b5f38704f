#!/usr/bin/env bash
# Who follows game 1 gets the moves of games 12 and 100, too: npm's mqtt-regex 1.1.0.
#
# Found with: mqtt-regex 1.1.0 (npm), mqtt-match 3.0.0 for comparison, Node 20.
# A good guess: "game/1/#" is game/1 and all below it (MQTT 5, 4.7.1.2: "the multi-level wildcard represents the parent and
# any number of child levels"; the README: "zero or more sections of the path"), as a broker has it for the same filter,
# which is in the result's `topic`.
# What happens: so that the parent matches as well, the slash before # may be missing; but what follows then need not begin
# a level. In "game/12/move" the "2" counts as one: `exec` gives it as the first part of the rest. Behind a wildcard
# ("+room/#path") the name is taken as a whole, so that the example of the README is right. (Reported is only that a slash
# at the end of a topic is passed over; the answer, as in the README, is to use mqtt-pattern.)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit mqtt-regex@1.1.0 mqtt-match@3.0.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const matches = require("mqtt-match");
const filter = require("mqtt-regex")("game/1/#rest");

assert.equal(filter.topic, "game/1/#");
for (const [topic, rest, right] of [
  ["game/1", [], true], ["game/1/move", ["move"], true], ["game/2/move", undefined, false],
  ["game/12", ["2"], false], ["game/12/move", ["2", "move"], false], ["game/100/move", ["00", "move"], false]]) {
  const found = filter.exec(topic)?.rest;
  console.log(`${filter.topic} and ${topic}: ${JSON.stringify(found) ?? "no match"}; by mqtt-match:`,
    matches(filter.topic, topic));
  assert.deepEqual(found, rest);
  assert.equal(matches(filter.topic, topic), right);
}
JS
echo "mqtt-regex 1.1.0; guess: no match for game/12 and game/100"
node see.cjs
