#!/usr/bin/env bash
# Who drew against all others is neither a winner nor among the rest: condorcet 0.1.1.
#
# Found with: condorcet 0.1.1 (PyPI; "evaluating votes using the condorcet method"), Python 3.11.
# A good guess: `get_n_winners(n)` gives at most the first n winners in order, and with them a table of the wins and losses
# of the others: so each candidate is in one of the two.
# What happens: the table has only candidates with a win or a loss. A candidate that as many voters put before each other
# one as behind it is in neither: with two ballots, "ann ben cem" and "cem ann ben", ben, who lost to ann, is second, and
# cem, who lost to neither, is gone. With draws alone all are gone.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check condorcet==0.1.1
cat >see.py <<'PYTHON'
from importlib.metadata import version
from itertools import permutations

from condorcet import CondorcetEvaluator

NAMES = ["ann", "ben", "cem"]


def look(*ballots: str) -> tuple[list[str], list[str]]:
    """Return the winners, and who is neither a winner nor in the table."""
    votes = [{name: place for place, name in enumerate(ballot.split(), 1)} for ballot in ballots]
    winners, rest = CondorcetEvaluator(candidates=NAMES, votes=votes).get_n_winners(3)
    missing = [name for name in NAMES if name not in winners and name not in rest]
    for one, other in permutations(NAMES, 2):
        before = sum(vote[one] < vote[other] for vote in votes)
        if one in missing:
            assert 2 * before == len(votes), "each comparison of a missing one was a draw"
    print(f"{', '.join(ballots)}: winners {winners}, the rest {list(rest)}, guess for missing [], found {missing}")
    return winners, missing


print("condorcet", version("condorcet"))
assert look("ann ben cem", "ann cem ben", "ben ann cem") == (["ann", "ben", "cem"], [])
assert look("ann ben cem", "cem ann ben") == (["ann", "ben"], ["cem"])
assert look("ann ben cem", "cem ben ann") == ([], NAMES)
PYTHON
env/bin/python see.py
