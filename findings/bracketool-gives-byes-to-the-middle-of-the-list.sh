#!/usr/bin/env bash
# The four best of twelve have to play the first round, the next four have byes: bracketool 0.1 by rating.
#
# Found with: bracketool 0.1 (PyPI), `SingleEliminationGen(use_rating=True, use_teams=False)`.
# A good guess: with ratings the best are seeded, so the byes of a number that is no power of two are theirs, as in any
# knock-out draw (12 players: 1 to 4 go to the second round, 5 to 12 play), and 1 and 2 meet in the final at the earliest.
# What happens: byes get places in the draw first, and the players, from the best on, the place that is farthest from those
# already taken, whether it is a bye or not; on equal distance the last. Of 7 players the only bye is the fourth's, of 12
# those of 5 to 8, of 5 the second plays and the fourth does not. The final is kept for 1 and 2.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check bracketool==0.1
cat >see.py <<'PYTHON'
from importlib.metadata import version

from bracketool.domain import Competitor
from bracketool.single_elimination import SingleEliminationGen

print("bracketool", version("bracketool"))
for size, found in {5: [1, 3, 4], 6: [3, 4], 7: [4], 12: [5, 6, 7, 8]}.items():
    players = [Competitor(str(place), "", 2000 - 50 * place) for place in range(1, size + 1)]
    byes = set()
    for seed in range(5):
        draw = SingleEliminationGen(use_teams=False, use_rating=True, random_seed=seed).generate(players)
        byes.add(tuple(sorted(int(clash.competitor_a.name) for clash in draw.round(0) if clash.is_bye)))
    print(size, "players by rating; byes by guess", list(range(1, len(found) + 1)), "found", *map(list, byes))
    assert byes == {tuple(found)}
PYTHON
env/bin/python see.py
