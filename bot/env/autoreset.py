"""When a game of a vector environment that is over begins anew."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

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


def begin_anew(
    mode: AutoresetMode,
    seen: NDArray[np.int16],
    over: NDArray[np.bool_],
    were_over: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Return the games that begin anew in a step, and what its info shows of their ends.

    Args:
        mode: when they do.
        seen: the observations after the step, i16[games, 2, pits + 1].
        over: which games the step ended, bool[games].
        were_over: which were over before it, bool[games].
    """
    if mode is AutoresetMode.NEXT_STEP:
        return np.flatnonzero(were_over), {}
    ends = {"final_obs": seen.copy(), "_final_obs": over} if over.any() else {}
    return np.flatnonzero(over), ends
