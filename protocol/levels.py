"""The one zero of all ratings: the engine's levels, whose places on the scale are fixed.

Ladders cannot know the engine, and `mancala rate` knows no ladder; both know this scale, so that a
rating means the same on every server and without one.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from .rules import KALAH, Rules

LEVEL_ELO: Final = (0, 204, 361, 522, 673, 826, 982, 1166, 1330, 1569)
"""The Elo of levels 1 to 10 on the scale that `mancala rate` places players on.

Logistic Elo above level 1 in Kalah(6,4) from the openings of `mancala match`, by one joint fit to
the games of `mancala.scripts.bench.search.levels`; level 10 is the engine with a fixed number of
nodes a move (`mancala.engine.skill.LEVEL_10_NODES`). The scale is part of the contract: a change of
a level
calls for a new measurement."""
_LEVEL: Final = re.compile(r"engine:level=([1-9])")
"""The players whose strength does not depend on the time for a move."""


class ScaleHolder(StrEnum):
    """What holds the scale of a ladder: whose ratings stay where they are."""

    ANCHORS = "anchors"
    LEVELS = "levels"
    HOUSE = "house"
    NOTHING = "nothing"


def level_ratings(players: Mapping[str, str], rules: Rules) -> dict[str, float]:
    """Return the fixed ratings of those players that are levels, by name, from their SPECs.

    The scale is that of Kalah(6,4), so there are none under other rules.
    """
    if rules != KALAH:
        return {}
    found = ((name, _LEVEL.fullmatch(spec.strip())) for name, spec in players.items())
    return {name: float(LEVEL_ELO[int(level[1]) - 1]) for name, level in found if level is not None}
