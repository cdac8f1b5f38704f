#!/usr/bin/env bash
# One metric with a colon in its name, and none of the page is read: npm's prom2javascript 0.2.0.
#
# Found with: prom2javascript 0.2.0 (npm), Node 20.
# A good guess: what Prometheus' text format allows is read. Names match [a-zA-Z_:][a-zA-Z0-9_:]*; every recording rule
# has colons ("job:requests:rate5m"), and a server's /federate gives them out. A value is what Go's ParseFloat takes,
# with NaN, +Inf and -Inf; blanks may stand between all tokens, also within braces.
# What happens: a colon and "-Inf" each throw "Unable to parse metric", a blank within the braces "Cannot parse Prometheus
# label"; the call rejects, so all other metrics of the page are lost with it. "+Inf", NaN, a comma, a brace and quotes in a
# label are read as they should be.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit prom2javascript@0.2.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { getMetricsFromIterator } = require("prom2javascript");

const lines = {
  plain: 'requests{why="a, \\"b\\" }"} +Inf',
  colon: "job:requests:rate5m 3",
  minus: "lowest -Inf",
  blank: 'requests{ code = "200" } 3',
};

(async () => {
  const refused = [];
  for (const [name, line] of Object.entries(lines)) {
    try {
      const found = await getMetricsFromIterator(["up 1", line][Symbol.iterator]());
      console.log(`${name}: guess 2 metrics, found ${Object.keys(found).length}`);
    } catch (error) {
      refused.push(name);
      console.log(`${name}: guess 2 metrics, found none: ${error.message}`);
    }
  }
  assert.deepEqual(refused, ["colon", "minus", "blank"]);
})();
JS
node see.cjs
