"""Where seeds lie in a pit: on a spiral with equal room for each.

Each point is a golden angle further than the last one, at a distance that grows as the square root
of its number (Vogel, "A better way to construct the sunflower head", 1979).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, pi, sin, sqrt
from typing import Final

GOLDEN: Final = pi * (3 - sqrt(5))
"""The golden angle, in radians."""


def spiral(number: int) -> Iterator[tuple[float, float]]:
    """Yield points of the unit disc, from its middle outwards."""
    for at in range(number):
        away = sqrt((at + 0.4) / number)
        yield away * cos(at * GOLDEN), away * sin(at * GOLDEN)
