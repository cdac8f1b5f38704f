"""Chances of pair scores where openings favour a seat, for tests of what is made of them."""

import numpy as np
from numpy.typing import NDArray

from mancala.server.rating.scale import elo_of_score, score_of_elo

Floats = NDArray[np.float64]


def pair_chances(elo: float, opening: float = 150.0, draw: float = 0.15) -> Floats:
    """Return the chances of the five pair scores when the opening favours one seat or the other.

    An opening is worth ``opening`` Elo to the player with the better side of it, so the two
    games are correlated, as they are in Kalah.
    """
    total = np.zeros(5)
    ahead, behind = (game_chances(elo + edge, draw) for edge in (opening, -opening))
    for one, chance_of_one in enumerate(ahead):
        for two, chance_of_two in enumerate(behind):
            total[one + two] += chance_of_one * chance_of_two
    return total


def game_chances(elo: float, draw: float) -> tuple[float, float, float]:
    win = score_of_elo(elo) * (1 - draw)
    return 1 - draw - win, draw, win


def true_elo(chances: Floats) -> float:
    return elo_of_score(float(chances @ np.arange(5)) / 4)
