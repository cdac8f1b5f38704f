#!/usr/bin/env bash
# A depth of 8 beside "auto" is the text "8", and is refused as soon as it was tried: benderopt 1.4.2.
#
# Found with: benderopt 1.4.2, numpy 2.4.6, scipy 1.17.1 (PyPI); "black box optimization library".
# A good guess: a category is handed to the function as it was given, whatever its type, as the search space has "values";
# and `minimize(…, seed=1)` tries the same points in each run.
# What happens: categories are drawn by `numpy`'s `choice`, which makes one type of them all. Numbers beside a text become
# texts, and whole numbers beside a fraction fractions. A text is not among the values, so the sample that the library
# drew itself ends the search with a ValidationError. And only some draws use the seed: those of "normal" and
# "lognormal" come from NumPy's global generator, by SciPy, and differ from run to run; "uniform" is repeated.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check benderopt==1.4.2 numpy==2.4.6 scipy==1.17.1 2>/dev/null
cat >see.py <<'PY'
from benderopt import minimize
from benderopt.validation.utils import ValidationError

seen: list[object] = []
for values, kind, error in (
    (["slow", "fast"], "str_", False), ([4, 8], "int64", False), ([4, 0.5], "float64", False), ([4, 8, "auto"], "str_", True)
):
    seen.clear()
    space = [{"name": "depth", "category": "categorical", "search_space": {"values": values}}]
    try:
        minimize(lambda depth: seen.append(depth) or 0.0, space, number_of_evaluation=30, seed=1)
        refused = ""
    except ValidationError as raised:
        refused = str(raised)
    kinds = {type(each).__name__ for each in seen}
    print(values, "->", *kinds, repr(refused or "no error"), f"after {len(seen)}")
    assert kinds == {kind} and (refused != "") == error and (seen[-1] in values) != error
for category, search_space, same in (
    ("uniform", {"low": -3, "high": 3}, True), ("normal", {"mu": 0, "sigma": 1}, False),
    ("lognormal", {"mu": 10, "sigma": 100}, False),
):
    space = [{"name": "weight", "category": category, "search_space": search_space}]
    runs = []
    for _ in range(2):
        seen.clear()
        minimize(lambda weight: seen.append(float(weight)) or weight**2, space, number_of_evaluation=5, seed=1)
        runs.append([round(each, 3) for each in seen])
    print(f"{category}, seed 1 twice:", *runs)
    assert (runs[0] == runs[1]) == same
PY
echo "benderopt 1.4.2; guess: no error, and two equal runs for each"
env/bin/python see.py
