#!/usr/bin/env bash
# Two license expressions that ask for different things are one sentence: npm's spdx-to-html 1.0.0.
#
# Found with: spdx-to-html 1.0.0 (npm), spdx-satisfies 6.0.0 for comparison, Node 20.
# A good guess: the English text of an expression says what the expression says. "(MIT OR GPL-2.0-only) AND
# CC-BY-4.0" (code of a choice, pictures always) is not "MIT OR GPL-2.0-only AND CC-BY-4.0", in which who takes MIT owes
# CC-BY-4.0 nothing; SPDX (Annex D.4.5) has brackets for that, since AND binds more closely than OR.
# What happens: brackets are read and not written, so both give the same line, "MIT or GPL-2.0-only and CC-BY-4.0", and
# the stricter one is read as the freer one. Nothing is said.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit spdx-to-html@1.0.0 spdx-satisfies@6.0.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const html = require("spdx-to-html");
const satisfies = require("spdx-satisfies");

const strict = "(MIT OR GPL-2.0-only) AND CC-BY-4.0";
const free = "MIT OR (GPL-2.0-only AND CC-BY-4.0)";
const text = (expression) => html(expression).replace(/<[^>]*>/g, "");
for (const expression of [strict, free]) {
  console.log(`${expression}: MIT alone is enough: ${satisfies(expression, ["MIT"])}; written "${text(expression)}"`);
}
assert.deepEqual([satisfies(strict, ["MIT"]), satisfies(free, ["MIT"])], [false, true]);
assert.equal(text(strict), "MIT or GPL-2.0-only and CC-BY-4.0");
assert.equal(html(strict), html(free));
JS
echo "spdx-to-html 1.0.0; guess: two sentences"
node see.cjs
