#!/usr/bin/env bash
# The start is overwritten, and each point of the way is the last: noisyopt 0.2.3, `minimizeSPSA` without bounds.
#
# Found with: noisyopt 0.2.3, numpy 2.4.6, scipy 1.17.1 (PyPI); `minimizeSPSA`, for tuning a player's weights.
# A good guess: `x0` is an "initial guess", which a second run may start from, and `callback(xk)` gets "the current
# parameters", so that a list of them is the way of the search: SciPy's functions, whose form these have, copy the start.
# What happens: without bounds each step is `x -= …` on the caller's own array (for an array of floats). The start is the
# result afterwards, so a second run goes on where the first one ended, and "before" and "after" do not differ. All that
# the callback got is one array: each point of the way is the last. With bounds, however wide, everything is as guessed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q noisyopt==0.2.3 numpy==2.4.6 scipy==1.17.1 2>/dev/null
cat >see.py <<'PY'
import numpy as np
from noisyopt import minimizeSPSA


def run(bounds: list[tuple[float, float]] | None) -> tuple[list[float], int]:
    """Gives the start after the search, and how many different points its way has."""
    np.random.seed(1)
    start = np.array([5.0, -3.0])
    way: list[np.ndarray] = []
    result = minimizeSPSA(
        lambda x: float((x**2).sum()), start, bounds=bounds, niter=50, paired=False, a=0.1,
        callback=way.append)
    print(f"bounds {bounds}: start {start.round(2)}, result {result.x.round(2)},",
          f"{len({tuple(point) for point in way})} different points of {len(way)}")
    assert abs(result.x).max() < 2
    return start.tolist(), len({tuple(point) for point in way})


start, points = run(None)
assert start != [5.0, -3.0] and points == 1
start, points = run([(-1e9, 1e9)] * 2)
assert start == [5.0, -3.0] and points == 50
PY
echo "noisyopt 0.2.3; guess: start [5, -3] and 50 different points, with bounds or without"
env/bin/python see.py
