"""Random numbers of compiled games: one word of state a game, so that a new game costs nothing.

The generator is splitmix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators",
OOPSLA 2014). ``TieDraws`` of ``engine/classics/rating.py`` draws the same.
"""

from typing import Final

import numpy as np

from .compiler import Int, inlined
from .layout import Words

GAMMA: Final = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR: Final = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR: Final = np.uint64(0x94D049BB133111EB)
FIRST_SHIFT: Final = np.uint64(30)
SECOND_SHIFT: Final = np.uint64(27)
THIRD_SHIFT: Final = np.uint64(31)


@inlined
def below(draws: Words, game: int, count: int) -> Int:
    """Return a game's next random number below ``count``; ``draws`` (u64[games]) has the states."""
    draws[game] += GAMMA
    mixed: np.uint64 = draws[game]
    mixed = (mixed ^ (mixed >> FIRST_SHIFT)) * FIRST_FACTOR
    mixed = (mixed ^ (mixed >> SECOND_SHIFT)) * SECOND_FACTOR
    return np.int64((mixed ^ (mixed >> THIRD_SHIFT)) % np.uint64(count))
