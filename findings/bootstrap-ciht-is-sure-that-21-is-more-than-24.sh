#!/usr/bin/env bash
# A mean of 21.2 is more than 24, at a chance of error of 0: bootstrap-ciht 0.1.1, one-sided test.
#
# Found with: bootstrap-ciht 0.1.1 (PyPI, "Bootstrap_CIHT"), numpy 2.4.6, pandas 3.1.1, matplotlib 3.11.2, Python 3.11.
# A good guess: with `h_sides=1, h1_dir="greater"` the p-value is the chance of a mean as large as the one seen, or larger,
# if the true one is `null_mean`. Of points that are clearly below it that is nearly 1; for "less", nearly 0.
# What happens: only the distance from `null_mean` is taken, and put on the side that was asked about: the p-value is nearly
# 0 in both directions, so one data set proves that the mean is more and that it is less. Its own interval for the same
# question, from `calculate_CI`, begins below 24.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check bootstrap-ciht==0.1.1 numpy==2.4.6 pandas==3.1.1 matplotlib==3.11.2
cat >see.py <<'PYTHON'
import contextlib
import io
from importlib.metadata import version
from math import sqrt
from statistics import NormalDist, mean, stdev

import pandas as pd
from bootstrap_CIHT import Bootstrap_CIHT

POINTS = [20, 22, 21, 23, 19, 20, 22, 24, 21, 20] * 3
NULL = 24
table = pd.DataFrame({"points": POINTS})


def tested(direction: str) -> tuple[float, tuple[float, float]]:
    test = Bootstrap_CIHT(table, "points", null_mean=NULL, h_sides=1, h1_dir=direction, samples=1000)
    with contextlib.redirect_stdout(io.StringIO()):
        means = test.get_bootstrap_sample()
        return float(test.calculate_hypothesis_test(means)), tuple(map(float, test.calculate_CI(means)))


score = (mean(POINTS) - NULL) / (stdev(POINTS) / sqrt(len(POINTS)))
guesses = {"greater": 1 - NormalDist().cdf(score), "less": NormalDist().cdf(score)}
print("bootstrap-ciht", version("bootstrap-ciht"), f"- the mean of {len(POINTS)} points is {mean(POINTS)}")
for direction, guess in guesses.items():
    p_value, (low, high) = tested(direction)
    print(f"{direction} than {NULL}: guess p = {guess:.4f}, found {p_value:.4f}; interval {low:.1f} to {high:.1f}")
    assert p_value < 0.001
    assert (low < NULL < high) == (direction == "greater")
assert guesses["greater"] > 0.999
PYTHON
MPLBACKEND=Agg env/bin/python see.py
