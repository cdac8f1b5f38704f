#!/usr/bin/env bash
# A chance of 3e-11 is written as 0.0, and as 3e-11 once the keys are sorted: srsly 2.5.6.
#
# Found with: srsly 2.5.6 (PyPI, of November 2026, among its 1,000 most downloaded), Python 3.11.
# A good guess: what `json_dumps` writes, `json_loads` reads back, as with the standard library, to which `sort_keys=True`
# "falls back"; the underlying `ujson` has written and read exact numbers since its 2.0 of 2020.
# What happens: inside is a copy of ujson from before that. Numbers are written with ten decimals: below 5e-11 they are 0.0,
# and 1 / 3 loses its last six digits; above 1e16 the last digit goes. Reading what others wrote is often wrong in the last
# bit, too. The same data with `sort_keys=True` is exact, and None as a key is "null" there and "None" here.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check srsly==2.5.6 2>/dev/null
cat >see.py <<'PY'
import json
import random

import srsly

for value in (3e-11, 1 / 3, 1e16 + 2):
    plain, ordered = srsly.json_dumps([value]), srsly.json_dumps([value], sort_keys=True)
    print(f"{value!r}: {plain}, with sort_keys {ordered}, from the standard library {json.dumps([value])}")
    assert json.loads(plain) != [value] and json.loads(ordered) == [value]
keys = [srsly.json_dumps({None: 1}, sort_keys=ordered) for ordered in (False, True)]
print("None as a key:", keys)
assert keys == ['{"None":1}', '{"null":1}']
random.seed(1)
values = [random.random() for _ in range(10000)]
wrong = sum(srsly.json_loads(repr(value)) != value for value in values)
print(f"read from what the standard library writes: {wrong} of 10000 numbers differ")
assert wrong > 1000 and all(json.loads(repr(value)) == value for value in values)
PY
echo "srsly 2.5.6; guess: three equal numbers in each line, and no number differs"
env/bin/python see.py
