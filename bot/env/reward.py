"""What a finished game is worth to a learner."""

from __future__ import annotations

from typing import Final

REWARDS: Final = ("result", "margin")
"""``result``: 1, 0 or -1. ``margin``: the difference of the stores, divided by all seeds."""


def check_reward(name: str) -> str:
    """Return the name of a reward.

    Raises:
        ValueError: when there is none.
    """
    if name not in REWARDS:
        raise ValueError(f"the reward is one of {', '.join(REWARDS)}, not {name!r}")
    return name


def reward_for(name: str, margin: int, seeds: int) -> float:
    """Return the reward of a finished game.

    Args:
        name: one of `REWARDS`.
        margin: the player's store less the other's, in seeds.
        seeds: all seeds of the game.
    """
    if name == "margin":
        return margin / max(seeds, 1)
    return float((margin > 0) - (margin < 0))
