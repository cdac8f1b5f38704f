"""When games begin anew."""

from __future__ import annotations

import pytest
from gymnasium.vector import AutoresetMode

from mancala.bot.env import MancalaSelfPlayEnv, MancalaVectorEnv
from mancala.bot.env.games import AUTORESETS


@pytest.mark.parametrize("mode", AUTORESETS)
def test_an_environment_says_when_its_games_begin_anew(mode: AutoresetMode) -> None:
    """Gymnasium's wrappers read it in the metadata."""
    assert MancalaVectorEnv(1, autoreset=mode).metadata["autoreset_mode"] is mode
    assert MancalaSelfPlayEnv(1, autoreset=mode).metadata["autoreset_mode"] is mode


def test_games_that_never_begin_anew_are_refused() -> None:
    """Gymnasium's third mode is not offered."""
    with pytest.raises(ValueError, match="autoreset is NEXT_STEP or SAME_STEP"):
        MancalaVectorEnv(2, autoreset=AutoresetMode.DISABLED)
    with pytest.raises(ValueError, match="autoreset is NEXT_STEP or SAME_STEP"):
        MancalaSelfPlayEnv(2, autoreset=AutoresetMode.DISABLED)
