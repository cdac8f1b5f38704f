#!/usr/bin/env bash
# The best loss of all was 5, and `best_score` is -5: gradient-free-optimizers 1.13.0, `optimum="minimum"`.
#
# Found with: gradient-free-optimizers 1.13.0, numpy 2.4.6, pandas 2.3.3, scipy 1.17.1 (PyPI), Python 3.11.
# A good guess: as `search` says of itself: the objective is "negated internally", "the reported best_score is in original
# (non-negated) units", and max_score "refers to the original (non-negated) score": the search stops at a loss that is
# good enough.
# What happens: nothing is turned back. `best_score` and `search_data` are negated; only parameters are right. And max_score
# is held against negated scores: a bound of 7 is never reached by losses, though 5 was found, and for an objective that
# goes below zero any first point does for the bound -93: the search ends there.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check \
  gradient-free-optimizers==1.13.0 numpy==2.4.6 pandas==2.3.3 scipy==1.17.1 2>/dev/null
cat >see.py <<'PY'
import numpy as np
from gradient_free_optimizers import RandomSearchOptimizer


def search(least: int, max_score: float | None) -> tuple[float, int, int]:
    """Minimises (x - 2)^2 + least: the best score, the best x, and how many points were tried."""
    optimizer = RandomSearchOptimizer({"x": np.arange(-10, 11)}, initialize={"random": 1}, random_state=3)
    optimizer.search(lambda at: (at["x"] - 2) ** 2 + least, n_iter=60, max_score=max_score,
                     optimum="minimum", memory=False, verbosity=False)
    assert max(optimizer.search_data["score"]) == optimizer.best_score
    return float(optimizer.best_score), int(optimizer.best_para["x"]), len(optimizer.search_data)


for least, max_score, guess, found in (
    (5, None, (5, 2, 60), (-5, 2, 60)), (5, 7, "fewer than 60 points", (-5, 2, 60)), (-100, -93, "x from 0 to 4", None)
):
    got = search(least, max_score)
    print(f"least loss {least}, max_score {max_score}: best score, x, points {got}; guess {guess}")
    assert got == found or found is None and got[2] == 1 and not 0 <= got[1] <= 4
PY
echo "gradient-free-optimizers 1.13.0"
env/bin/python see.py
