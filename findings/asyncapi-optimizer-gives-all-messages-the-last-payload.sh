#!/usr/bin/env bash
# A document that was only made shorter says that a move is "resign" or "draw": npm's @asyncapi/optimizer 2.0.0.
#
# Found with: @asyncapi/optimizer 2.0.0 (npm), Node 20, its own defaults.
# A good guess: what stands in several places moves to `components` once and is referred to from there, so the document
# means what it meant; two payloads that differ get two names.
# What happens: the name is the last part of the path, "payload" for each payload that stands within a message, and a
# message's own key. Whatever moves there later replaces what was there, and the references of all lead to it. Two channels
# for moves and two for answers have one payload afterwards, that of the answers; the other one is gone. The report
# lists the same target again and again, without a warning, and the result is a valid document.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --ignore-scripts @asyncapi/optimizer@2.0.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { Optimizer, Output } = require("@asyncapi/optimizer");

const move = { type: "object", properties: { pit: { type: "integer", minimum: 1 } }, required: ["pit"] };
const answer = { type: "string", enum: ["resign", "draw"] };
const channel = (address, payload) => [address, { address, messages: { turn: { payload } } }];
const channels = Object.fromEntries([["north", move], ["south", move], ["white", answer], ["black", answer]]
  .map(([address, payload]) => channel(address, payload)));
const document = { asyncapi: "3.0.0", info: { title: "games", version: "1" }, channels };

function resolve(node, root) {
  if (typeof node?.$ref === "string") {
    return resolve(node.$ref.slice(2).split("/").reduce((at, key) => at[key], root), root);
  }
  return node;
}

(async () => {
  const optimizer = new Optimizer(JSON.stringify(document));
  const moves = (await optimizer.getReport()).find(({ type }) => type === "moveAllToComponents").elements;
  const targets = moves.map(({ target }) => target).filter((target) => target.endsWith(".payload"));
  console.log("targets of payloads:", targets);
  assert(targets.length === 4 && new Set(targets).size === 1);
  const shorter = JSON.parse(optimizer.getOptimizedDocument({ output: Output.JSON }));
  for (const address of Object.keys(channels)) {
    const message = resolve(resolve(shorter.channels[address], shorter).messages.turn, shorter);
    const payload = resolve(message.payload, shorter);
    console.log(`${address}: before ${channels[address].messages.turn.payload.type}, after ${JSON.stringify(payload)}`);
    assert.deepEqual(payload, answer);
  }
  assert(!JSON.stringify(shorter).includes('"required"'));
  await new Optimizer(JSON.stringify(shorter)).getReport(); // rejects what its parser finds invalid
})();
JS
echo "@asyncapi/optimizer 2.0.0; guess: north and south keep their object with a pit"
node see.cjs
