"""What a learner sees and does, as Gymnasium's spaces."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from mancala.protocol.rules import MAX_SEEDS_IN_ALL, Rules

from ..players.seen import actions


def seeds_space(rules: Rules) -> spaces.Space[Any]:
    """Return the space of :func:`view`."""
    return spaces.Box(0, MAX_SEEDS_IN_ALL, (2, rules.pits + 1), np.int16)


def mask_space(rules: Rules) -> spaces.Space[Any]:
    """Return the space of action masks: one number an action, 1 where it is legal."""
    return spaces.Box(0, 1, (actions(rules),), np.int8)


def pits_space(rules: Rules) -> spaces.Space[Any]:
    """Return the space of actions: a pit, counted in the mover's sowing direction, or a swap."""
    return spaces.Discrete(actions(rules))
