#!/usr/bin/env bash
# An arm that lost its first play is never tried again: mabwiser 2.7.4, UCB1 with TreeBandit.
#
# Found with: mabwiser 2.7.4, numpy 2.4.6, pandas 2.3.3, scipy 1.17.1, scikit-learn 1.9.1 (PyPI).
# A good guess: UCB1 adds alpha * sqrt(2 ln N / n) to an arm's mean, with n plays of it among N of all arms, so what was
# tried seldom is tried again. A tree over contexts that are all equal has one leaf: the choices are those without a tree.
# What happens: in a leaf each arm gets a policy of its own, fitted with that arm's plays alone, so N is n. For an arm that
# was played once ln 1 = 0, and nothing is added; after three plays most is added. An arm that lost its first play, while
# another won, is played no more: in 20 runs of 200 plays the best of three arms gets none at all in 9, and all in 4.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check \
  mabwiser==2.7.4 numpy==2.4.6 pandas==2.3.3 scipy==1.17.1 scikit-learn==1.9.1 2>/dev/null
cat >see.py <<'PY'
import numpy as np
from mabwiser.mab import MAB, LearningPolicy, NeighborhoodPolicy


def bandit(arms: list[str], tree: bool) -> MAB:
    return MAB(arms, LearningPolicy.UCB1(alpha=1.0), NeighborhoodPolicy.TreeBandit() if tree else None, seed=1)


def plays_of_the_best(tree: bool, seed: int) -> int:
    """Plays 200 times, after one play of each arm; "c" is the best one."""
    rng, chances = np.random.default_rng(seed), {"a": 0.4, "b": 0.5, "c": 0.6}
    policy = bandit(list(chances), tree)
    won = [int(rng.random() < chance) for chance in chances.values()]
    policy.fit(list(chances), won, *[np.zeros((3, 1))] * tree)
    plays = 0
    for _ in range(200):
        arm = policy.predict(*[[[0]]] * tree)
        policy.partial_fit([arm], [int(rng.random() < chances[arm])], *[np.zeros((1, 1))] * tree)
        plays += arm == "c"
    return plays


for tree, found in ((False, "new"), (True, "known")):
    policy = bandit(["known", "new"], tree)
    policy.fit(["known"] * 100 + ["new"], [0.5] * 101, *[np.zeros((101, 1))] * tree)
    bounds = policy.predict_expectations(*[[[0]]] * tree)
    print(f"tree {tree}: upper bounds", {arm: round(float(each), 2) for arm, each in bounds.items()})
    assert policy.predict(*[[[0]]] * tree) == found
    counts = [plays_of_the_best(tree, seed) for seed in range(20)]
    print(f"tree {tree}: plays of the best arm", *counts)
    assert (counts.count(0), counts.count(200)) == ((9, 4) if tree else (0, 0))
PY
echo "mabwiser 2.7.4; guess: the same with a tree and without"
env/bin/python see.py
