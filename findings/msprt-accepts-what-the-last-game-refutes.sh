#!/usr/bin/env bash
# The ratio is above its bound after the last observation, and "Accept H0" is the decision: msprt 0.1.2.
#
# Found with: msprt 0.1.2 (PyPI), numpy 2.4.6, scipy 1.17.1; without matplotlib, as nothing is drawn.
# A good guess: the test of a mixture's sequential ratio rejects as soon as the ratio passes 1 / alpha, at whichever
# observation. "Accept H0" says that it did not, up to the last one; and all observations count.
# What happens: a first passing at the last observation gives `n_rejection` = n, which is also what stands for "never", and
# the decision is taken from that number. And for "bernoulli" the ratio with index i is made of the observations before it:
# the last one is never looked at, and each rejection is reported one observation late. "normal" counts all.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 2>/dev/null
env/bin/pip install --quiet --disable-pip-version-check --no-deps msprt==0.1.2 2>/dev/null
mkdir matplotlib
touch matplotlib/__init__.py matplotlib/pyplot.py
cat >see.py <<'PY'
import numpy as np
from msprt import msprt

rng = np.random.default_rng(3)
x, y = rng.normal(0.5, 1, 200), rng.normal(0, 1, 200)


def test(count: int):
    return msprt(x=x[:count], y=y[:count], sigma=1.0, warmup_observations=5)


bound = 1 / 0.05
passing = next(count for count in range(10, 200) if max(test(count).sequential_probability_ratio) > bound)
for count in (passing, passing + 1):
    result = test(count)
    print(f"normal, {count} observations: highest ratio {max(result.sequential_probability_ratio):.1f}, bound {bound:.0f},",
          f"after {result.n_rejection}: {result.decision}")
assert test(passing).decision == "Accept H0" and test(passing + 1).decision == "Accept H1"
wins, losses = np.tile([1, 1, 0, 1], 5), np.tile([0, 1, 0, 0], 5)
lasts = {}
for last in (0, 1):
    wins[-1] = last
    lasts[last] = msprt(
        x=wins, y=losses, sigma=0.5, distribution="bernoulli", warmup_observations=5).sequential_probability_ratio
print("bernoulli, last ratio of 20 when the last one is lost or won:", *(f"{each[-1]:.4f}" for each in lasts.values()))
assert lasts[0] == lasts[1]
PY
echo "msprt 0.1.2; guess: Accept H1 both times, and two different last ratios"
env/bin/python see.py
