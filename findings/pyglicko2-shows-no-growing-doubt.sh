#!/usr/bin/env bash
# Who has not played for years is as well known as before, says the library that computes otherwise: pyglicko2 0.0.1a2.
#
# Found with: pyglicko2 0.0.1a2 (PyPI); Glickman, "Example of the Glicko-2 system", step 6: "if a player does not compete
# during the rating period", rating and volatility remain and the deviation grows to the root of φ² + σ².
# A good guess: `Player.update()` without opponents is that step, and `RD` and the player's text show the new deviation.
# What happens: the inner φ grows, `RD` stays, because the two lines that set it are behind an early return. A player of
# deviation 50 who was away for 60 periods still has "RD=50"; then the shown deviation jumps from 50 to 92 by one game, and
# rest and game together give 92.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check pyglicko2==0.0.1a2
cat >see.py <<'PYTHON'
from importlib.metadata import version
from math import sqrt

from pyglicko2 import Outcome, Player

SCALE = 173.7178
player = Player(1500, 50, 0.06)
for _ in range(60):
    player.update()
guess = SCALE * sqrt((50 / SCALE) ** 2 + 60 * 0.06**2)
print("pyglicko2", version("pyglicko2"))
print("after 60 periods without a game, guess: RD", round(guess, 2), "found:", player)
assert player.RD == 50 and abs(SCALE * player.φ - guess) < 1e-6
player.update([Player(1500, 50)], [Outcome.WIN])
print("after one game:", player)
assert round(player.RD) == 92
PYTHON
env/bin/python see.py
