"""When a game of a vector environment that is over begins anew."""

from __future__ import annotations

from typing import Final

from gymnasium.vector import AutoresetMode

AUTORESETS: Final = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
"""``NEXT_STEP``: with the next step, whose pit is not looked at and whose reward is 0.
``SAME_STEP``: in the step that ends it, whose ``info["final_obs"]`` shows the end."""


def check_autoreset(mode: AutoresetMode) -> AutoresetMode:
    """Return a mode that is offered.

    Raises:
        ValueError: when it is another one.
    """
    if mode not in AUTORESETS:
        raise ValueError(f"autoreset is NEXT_STEP or SAME_STEP, not {mode}")
    return mode
