#!/usr/bin/env bash
# The same games, everyone 1,000 points higher, and another volatility: glicko2 2.1.0.
#
# Found with: glicko2 2.1.0 (PyPI).
# A good guess: Glicko-2 knows differences of ratings alone. If all ratings of a pool are shifted by a constant, each
# player's new rating is shifted by it, and deviation and volatility are the same (Glickman, "Example of the
# Glicko-2 system", step 5: f(x) has the squared deviation φ²).
# What happens: the step that finds the new volatility has the squared *rating* in the place of the squared
# deviation. It agrees with the paper nowhere; far from 1500 the volatility hardly moves at all. Glickman's own
# example does not show it, since its player has 1500 and four decimals.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check glicko2==2.1.0
cat >see.py <<'PYTHON'
from importlib.metadata import version
from math import exp, log, pi, sqrt

from glicko2 import Player

TAU, SCALE = 0.5, 173.7178
PERIODS = 60
"""Rating periods, each of ten games against equals, five of them won."""


def by_the_library(shift: float) -> tuple[float, float, float]:
    player = Player(1500 + shift, 60, 0.06)
    for _ in range(PERIODS):
        player.update_player([1500 + shift] * 10, [50] * 10, [1, 0] * 5)
    return round(player.rating - shift, 3), round(player.rd, 3), round(player.vol, 6)


def by_the_paper() -> tuple[float, float, float]:
    """The same periods by Glickman's steps 3 to 7; the volatility by bisection, f being monotonous there."""
    phi, sigma = 60 / SCALE, 0.06
    g = 1 / sqrt(1 + 3 * (50 / SCALE) ** 2 / pi**2)
    for _ in range(PERIODS):
        v = 1 / (10 * g**2 * 0.25)
        a = log(sigma**2)  # the rating stays at 1500, so delta is 0

        def f(x: float, phi: float = phi, a: float = a, v: float = v) -> float:
            e = exp(x)
            return e * (0 - phi**2 - v - e) / (2 * (phi**2 + v + e) ** 2) - (x - a) / TAU**2

        low, high = a - 5, a
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if f(middle) > 0 else (low, middle)
        sigma = exp(low / 2)
        phi = 1 / sqrt(1 / (phi**2 + sigma**2) + 1 / v)
    return 1500.0, round(phi * SCALE, 3), round(sigma, 6)


print("glicko2", version("glicko2"))
paper = by_the_paper()
print("by the paper, at any rating (rating, deviation, volatility):", paper)
found = {shift: by_the_library(shift) for shift in (0, 500, 1000)}
for shift, told in found.items():
    print(f"by the library, everyone at {1500 + shift}, less {shift}:", told)
volatilities = [told[2] for told in found.values()]
assert volatilities == sorted(volatilities) and volatilities[-1] - volatilities[0] > 0.001
assert all(abs(told[0] - 1500) < 0.01 for told in found.values())
assert all(abs(each - paper[2]) > 0.0001 for each in volatilities)
PYTHON
env/bin/python see.py
