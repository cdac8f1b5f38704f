#!/usr/bin/env bash
# "Shuffle … to avoid always matching the same pair", says its source, and it matches the same pairs: glicko2-py 0.1.0.
#
# Found with: glicko2-py 0.1.0 (PyPI), `glicko2.tournament.swiss`, a Swiss event.
# A good guess: five rounds of six players are different ones, as the comment on its shuffle means to have it; its
# documented `seed` is for that.
# What happens: only players of the very same rating are shuffled, and all rounds are made beforehand, from ratings that do
# not change meanwhile. As soon as ratings differ, which they do after the first games, no seed makes a difference: it is
# one round, five times.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check glicko2-py==0.1.0
cat >see.py <<'PYTHON'
from importlib.metadata import version
from itertools import combinations

from glicko2 import MatchResult, RatingEngine, RatingPeriod
from glicko2.tournament import swiss

engine = RatingEngine()
period = RatingPeriod(id="first")
for better, worse in combinations("abcdef", 2):
    period.add_match(MatchResult(better, worse, 1.0))
engine.process_period(period)

print("glicko2-py", version("glicko2-py"))
for seed in (1, 2, 3):
    rounds = swiss(engine.pool, rounds=5, seed=seed)
    for pairs in rounds:
        print("seed", seed, pairs)
    assert rounds == [[("a", "b"), ("c", "d"), ("e", "f")]] * 5
PYTHON
env/bin/python see.py
