#!/usr/bin/env bash
# A Swiss event of five rounds is the same round five times, and one player never plays: glicko2-py 0.1.0.
#
# Found with: glicko2-py 0.1.0 (PyPI), `glicko2.tournament.swiss`: "each round pairs players with similar records".
# A good guess: nobody meets the same opponent twice while there is another one; with an odd number of players the one who
# is left out changes; the list of rounds that is returned can be played.
# What happens: all rounds are made beforehand, from ratings that do not change meanwhile, and neither earlier pairs nor
# byes are looked at. Only players of exactly the same rating change places: a seed makes no difference as soon as ratings
# differ, which they do after the first games. Then it is one round, repeated, and the last in the table sits out each time.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check glicko2-py==0.1.0
cat >see.py <<'PYTHON'
from importlib.metadata import version

from glicko2 import MatchResult, RatingEngine, RatingPeriod
from glicko2.tournament import swiss

engine = RatingEngine()
period = RatingPeriod(id="first")
for better, worse in ("ab", "ac", "ad", "ae", "bc", "bd", "be", "cd", "ce", "de"):
    period.add_match(MatchResult(better, worse, 1.0))
engine.process_period(period)

print("glicko2-py", version("glicko2-py"))
for seed in (1, 2, 3):
    rounds = swiss(engine.pool, rounds=5, seed=seed)
    for pairs in rounds:
        print("seed", seed, pairs)
    assert rounds == [[("a", "b"), ("c", "d")]] * 5
PYTHON
env/bin/python see.py
