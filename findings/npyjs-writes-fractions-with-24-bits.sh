#!/usr/bin/env bash
# A list of numbers is saved and comes back as other numbers: npm's npyjs 1.2.0, `dump`.
#
# Found with: npyjs 1.2.0 (npm), Node 20; numpy 2.4.6 (PyPI) reads the files.
# A good guess: of "a plain array (dtype is inferred)" NumPy gets what JavaScript had. Its numbers are float64, which is
# what `np.array` infers, too; a narrower type is taken only where it holds them all, as is done for whole numbers.
# What happens: one fraction among them makes all of them float32. 16777217 beside 0.5 is 16777216, a time in seconds is
# rounded to 128 of them, 1e-50 is 0. Whole numbers from 2^32 on choose an integer of 64 bits, for which a list of numbers
# is not taken: "Cannot convert 5000000000 to a BigInt".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit npyjs@1.2.0 >/dev/null
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check numpy==2.4.6 2>/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { writeFileSync } = require("node:fs");
const { dump } = require("npyjs");

const lists = [[16777217, 0.5], [1760000063.5, 1e-50], [16777217, 5], [0.5, 0.25]];
lists.forEach((list, at) => writeFileSync(`${at}.npy`, Buffer.from(dump(list))));
writeFileSync("lists.json", JSON.stringify(lists));
assert.throws(() => dump([5000000000, 1]), (error) => {
  console.log("[5000000000, 1] ->", `${error.name}: ${error.message}`);
  return /BigInt/.test(error.message);
});
JS
cat >see.py <<'PY'
import json

import numpy as np

for at, values in enumerate(json.load(open("lists.json"))):
    read = np.load(f"{at}.npy")
    print(values, "->", read.dtype, read.tolist(), "- numpy itself:", np.array(values).dtype)
    assert (read.tolist() == values) == (at >= 2)
PY
echo "npyjs 1.2.0; guess: each list comes back as it was"
node see.cjs
env/bin/python see.py
