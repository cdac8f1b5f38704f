"""How many points a policy takes from an opponent: what a learner is measured by as it learns."""

from __future__ import annotations

import numpy as np

from mancala.protocol.rules import KALAH, Rules

from .against import Policy
from .start import Openings
from .vector import MancalaVectorEnv


def points(
    policy: Policy,
    opponent: str | Policy,
    rules: Rules | str = KALAH,
    *,
    games: int = 200,
    openings: Openings = "fair",
    seed: int = 1,
) -> float:
    """Return the share of points that a policy takes, a draw being half of one.

    Args:
        policy: asked about all games that wait for it in one call.
        opponent: as for `MancalaVectorEnv`.
        rules: a variant, or its text; at most seven pits a row.
        games: number of games, each player beginning about half of them.
        openings: where games begin; the fair ones, unless they are few or there are none.
        seed: the same seed plays the same openings and seats.

    Raises:
        ValueError: when there is no such opponent or opening.
    """
    env = MancalaVectorEnv(games, opponent, rules, openings=openings)
    seen, _ = env.reset(seed=seed)
    masks, results = env.action_masks(), np.full(games, np.nan)
    while (left := np.isnan(results)).any():
        pits = np.zeros(games, dtype=np.int64)
        pits[left] = policy(seen[left], masks[left])
        seen, rewards, over, _, _ = env.step(pits)
        results[left & over] = rewards[left & over]
        masks = env.action_masks()
    return float((results.mean() + 1) / 2)
