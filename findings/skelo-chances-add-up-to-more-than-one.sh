#!/usr/bin/env bash
# The chances of the two players of a game add up to 1.11, and doubt about a rating changes nothing: skelo 0.1.5.
#
# Found with: skelo 0.1.5 (PyPI), glicko2 2.1.0, scikit-learn 1.9.1; `Glicko2Model`, whose `compute_prob` names
# Glickman's paper.
# A good guess: by Glicko, who is 200 points ahead wins 75 of 100 games where both deviations are 50, fewer where less
# is known (65 with 350), and what one player wins the other loses.
# What happens: with equal deviations it is 95 of 100, whether they are 50 or 350, since the deviation cancels out. With
# different ones the answer depends on who is asked about first: 1.000 and 0.108. The ratings do not show it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check skelo==0.1.5 glicko2==2.1.0 scikit-learn==1.9.1 pandas==3.1.1
cat >see.py <<'PYTHON'
from importlib.metadata import version
from math import log, pi, sqrt

from skelo.model.glicko2 import Glicko2Model

Q = log(10) / 400


def by_the_paper(one, other):
    """Glickman, "Example of the Glicko system": the expected score, with the deviations of both."""
    g = 1 / sqrt(1 + 3 * Q**2 * (one[1] ** 2 + other[1] ** 2) / pi**2)
    return 1 / (1 + 10 ** (-g * (one[0] - other[0]) / 400))


print("skelo", version("skelo"))
for deviations, found in (((50, 50), (0.95, 0.05)), ((350, 350), (0.95, 0.05)), ((50, 350), (1.0, 0.108))):
    one, other = (1700, deviations[0], 0.06), (1500, deviations[1], 0.06)
    guess = tuple(round(by_the_paper(*pair), 3) for pair in ((one, other), (other, one)))
    chances = tuple(round(float(Glicko2Model.compute_prob(*pair)), 3) for pair in ((one, other), (other, one)))
    print("1700 and 1500, deviations", deviations, "- guess", guess, "found", chances, "sum", round(sum(chances), 3))
    assert chances == found
    assert abs(sum(guess) - 1) < 0.002 and guess[0] < 0.77
PYTHON
env/bin/python see.py
