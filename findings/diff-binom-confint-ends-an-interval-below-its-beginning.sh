#!/usr/bin/env bash
# 18 of 20 won, and the share lies between 70 and 1 percent: diff-binom-confint 0.1.0, "modified-wilson".
#
# Found with: diff-binom-confint 0.1.0, numpy 2.4.6, scipy 1.17.1, pandas 3.1.1 (PyPI); "computation of confidence
# intervals for binomial proportions".
# A good guess: the modified Wilson interval (Brown, Cai and DasGupta 2001) replaces one bound near 0 or 1, by a Poisson
# one: of 2 in 20 the lower one, of 18 in 20 the upper one. Losses are counted as wins are, so the interval of 18 is 1
# minus that of 2, the other way round.
# What happens: the bound of the losses is given as it is, not taken from 1. If one or two games were lost (three, from 51
# games on), the interval ends at about a percent or less, far below the share and its own beginning.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check diff-binom-confint==0.1.0 numpy==2.4.6 scipy==1.17.1 \
  pandas==3.1.1
cat >see.py <<'PYTHON'
from importlib.metadata import version

from diff_binom_confint import compute_confidence_interval


def interval(won: int, games: int, method: str) -> tuple[float, float]:
    return tuple(round(float(bound), 3) for bound in compute_confidence_interval(won, games, method=method).astuple())


print("diff-binom-confint", version("diff-binom-confint"), "guess: each one 1 minus the other")
for few, games, low, high in (
    (1, 20, (0.001, 0.236), (0.764, 0.001)),
    (2, 20, (0.012, 0.301), (0.699, 0.012)),
    (3, 20, (0.052, 0.360), (0.640, 0.948)),
    (3, 60, (0.010, 0.137), (0.863, 0.010)),
):
    found = interval(few, games, "modified-wilson"), interval(games - few, games, "modified-wilson")
    print(f"{few} of {games}: {found[0]}; {games - few} of {games}: {found[1]},", end=" ")
    print("by Wilson", interval(games - few, games, "wilson"))
    assert found == (low, high)
PYTHON
env/bin/python see.py
