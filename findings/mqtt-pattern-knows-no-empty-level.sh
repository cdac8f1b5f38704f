#!/usr/bin/env bash
# The standard's own examples are matched wrongly: npm's mqtt-pattern 2.1.1 and mqtt-regex 1.1.0.
#
# Found with: mqtt-pattern 2.1.1, mqtt-regex 1.1.0 (npm), Node 20.
# A good guess: what a broker delivers for a filter also matches it in a client ("sport/+" matches "sport/", "+/+" and "/+"
# match "/finance": MQTT 3.1.1 and 5, 4.7.1.3), and nothing else does.
# What happens: "+" stands for a level of at least one character in both, so a message on a topic with an empty level
# arrives and no handler gets it. In mqtt-regex "sport/+" matches "sport/tennis/" besides, which has a level more.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit mqtt-pattern@2.1.1 mqtt-regex@1.1.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const pattern = require("mqtt-pattern");
const regex = require("mqtt-regex");

const named = (filter) => [..."ab"].reduce((text, name) => text.replace(/\+(?!\w)/, `+${name}`), filter);
const cases = [["sport/+", "sport/", true], ["+/+", "/finance", true], ["/+", "/finance", true],
  ["sport/+", "sport", false], ["sport/+", "sport/tennis", true], ["sport/+", "sport/tennis/", false]];
const wrong = { "mqtt-pattern": [], "mqtt-regex": [] };
for (const [filter, topic, standard] of cases) {
  const found = {
    "mqtt-pattern": pattern.matches(filter, topic),
    "mqtt-regex": Boolean(regex(named(filter)).exec(topic)),
  };
  console.log(`${filter} and ${topic}: by the standard ${standard}, found ${JSON.stringify(found)}`);
  for (const name of Object.keys(wrong)) if (found[name] !== standard) wrong[name].push(`${filter} ${topic}`);
}
assert.deepEqual(wrong["mqtt-pattern"], ["sport/+ sport/", "+/+ /finance"]);
assert.deepEqual(wrong["mqtt-regex"], ["sport/+ sport/", "+/+ /finance", "sport/+ sport/tennis/"]);
JS
node see.cjs
