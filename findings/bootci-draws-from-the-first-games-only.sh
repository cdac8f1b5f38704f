#!/usr/bin/env bash
# Samples of 100 out of 1000 games are drawn from the first 100 games: BootCI 1.0.1.
#
# Found with: BootCI 1.0.1, bootstrap-interval 0.0.5, from which it was made, numpy 2.4.6, scipy 1.17.1 (PyPI).
# A good guess: `sample_size` is the "size of resampling sample": so many are drawn, each time anew, of all the data, as in
# m-out-of-n bootstrapping. The interval is about the difference of the two systems, only wider.
# What happens: the indices are drawn below `sample_size`, so all that comes later is never looked at, in any resample.
# Where the second half of the games went the other way, the interval does not hold the difference itself.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check \
  BootCI==1.0.1 bootstrap-interval==0.0.5 numpy==2.4.6 scipy==1.17.1 2>/dev/null
cat >see.py <<'PY'
import numpy as np
from bootstrap_interval import bootstrap_interval
from BootCI import paired_bootstrap_interval as bootstrap_paired

games = 1000
truth = np.ones(games)
first = np.where(np.arange(games) < 500, 1.0, 0.0)
second = np.zeros(games)


def share(told: np.ndarray, right: np.ndarray) -> float:
    return float(np.mean(told == right))


print("difference of the shares:", share(first, truth) - share(second, truth))
for size in (None, 100):
    np.random.seed(1)
    paired = bootstrap_paired.Bootstrap(first, second, truth, stat=share, n_iter=500, sample_size=size)
    plain = bootstrap_interval.Bootstrap(first - second, n_iter=500, sample_size=size)
    ours, other = (each.get_confidence_interval(0.05, "sampling").round(2) for each in (paired, plain))
    print(f"sample_size={size}: {ours}; by bootstrap-interval {other}")
    assert other[0] < 0.5 < other[1]
    assert (ours == 1.0).all() if size else ours[0] < 0.5 < ours[1]
PY
echo "BootCI 1.0.1; guess: each interval has 0.5 within it"
env/bin/python see.py
