#!/usr/bin/env bash
# No win in ten games, and the exact interval begins nowhere: binoculars 0.1.3.
#
# Found with: binoculars 0.1.3 (PyPI), scipy 1.17.1; "calculations for binomial confidence intervals".
# A good guess: Clopper and Pearson's interval of 0 in n is from 0 on, that of n in n goes up to 1: the exact method is
# taken for just these cases, where the normal one has no width; SciPy's `binomtest(0, 10).proportion_ci()` is 0 to 0.31.
# What happens: the bound is the quantile of a beta distribution with the parameter 0, which does not exist: NaN, without a
# warning. Comparisons with it are false, so no share lies within the interval of a bot that lost all its games, not even 0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check binoculars==0.1.3 numpy==2.4.6 scipy==1.17.1 2>/dev/null
cat >see.py <<'PY'
from math import isclose, isnan

from binoculars import binomial_confidence
from scipy.stats import binomtest

for wins in (0, 3, 10):
    low, high = (float(bound) for bound in binomial_confidence(wins / 10, 10, method="clopper-pearson", z=1.959964))
    right = binomtest(wins, 10).proportion_ci()
    print(f"{wins} of 10: {low:.3f} to {high:.3f}; by SciPy {right.low:.3f} to {right.high:.3f}")
    assert isnan(low) if wins == 0 else isclose(low, right.low, abs_tol=1e-6)
    assert isnan(high) if wins == 10 else isclose(high, right.high, abs_tol=1e-6)
PY
echo "binoculars 0.1.3; guess: as by SciPy, 0.000 to 0.308 first"
env/bin/python see.py
