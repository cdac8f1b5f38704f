#!/usr/bin/env bash
# The same weight for everyone changes the result: openskill 6.2.0, `rate(…, weights=…)`.
#
# Found with: openskill 6.2.0 (PyPI), all its five models; games of two, as on a ladder.
# A good guess: weights of 1 are the default, so a ladder that weighs its games (a long match 2, a short one 1) gets
# from `weights=[[1], [1]]` what it gets without weights, and a game's size never decides who pays for it.
# What happens: weights are scaled to 1..2 within each team, and the one player of a team gets 2, whatever was
# written. 2 doubles what a winner gains and halves what a loser loses: the one gains four times what the other
# loses, and the mean of a ladder climbs with each game. In teams of two, equal weights are neutral. The argument
# that is documented for no scaling, `weight_bounds=None`, is a TypeError in the compiled wheels.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check openskill==6.2.0
cat >see.py <<'PYTHON'
from importlib.metadata import version
from itertools import permutations

from openskill import models

NAMES = [
    "PlackettLuce",
    "BradleyTerryFull",
    "BradleyTerryPart",
    "ThurstoneMostellerFull",
    "ThurstoneMostellerPart",
]
print("openskill", version("openskill"))
print("guess: weights of 1 change nothing; what one gains the other loses")


def change(model, **options):
    """What a game of two newcomers does to the winner's and the loser's mu."""
    (winner,), (loser,) = model.rate([[model.rating()], [model.rating()]], **options)
    return round(winner.mu - 25, 2), round(loser.mu - 25, 2)


for name in NAMES:
    model = getattr(models, name)()
    plain, one, five = (change(model, **each) for each in ({}, {"weights": [[1], [1]]}, {"weights": [[5], [5]]}))
    print(f"{name:23} without {plain}, weights of 1 {one}, of 5 {five}")
    assert plain[0] == -plain[1]
    assert one == five and abs(one[0] / plain[0] - 2) < 0.01 and abs(one[1] / plain[1] - 0.5) < 0.01

model = models.PlackettLuce()
pairs = [[model.rating(), model.rating()] for _ in range(2)]
assert model.rate(pairs, weights=[[1, 1], [1, 1]]) == model.rate(pairs)
for bounds in (None, (1.0, 1.0)):
    try:
        bounded = models.PlackettLuce(weight_bounds=bounds)
        print(f"weight_bounds={bounds}: weights of 5", change(bounded, weights=[[5], [5]]))
    except TypeError as error:
        print(f"weight_bounds={bounds}: TypeError, {error}")
assert change(models.PlackettLuce(weight_bounds=(1.0, 1.0)), weights=[[5], [5]]) == change(model)

for label, options in (("without weights", {}), ("weights of 1", {"weights": [[1], [1]]})):
    ladder = [model.rating() for _ in range(4)]
    for first, second in 10 * list(permutations(range(4), 2)):  # each beats each other equally often
        (ladder[first],), (ladder[second],) = model.rate([[ladder[first]], [ladder[second]]], **options)
    mean = sum(each.mu for each in ladder) / 4
    print(f"four equal players after 120 games, {label}: mean mu {mean:.1f}")
    assert mean > 50 if options else mean < 25.1, mean
PYTHON
env/bin/python see.py
