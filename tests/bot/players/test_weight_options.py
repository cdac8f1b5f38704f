"""Weights as options."""

from __future__ import annotations

import pytest

from mancala.bot.players.weight_options import WEIGHT_OPTIONS
from mancala.engine.evaluation.features import RANGES


def test_every_feature_is_an_option_with_its_range() -> None:
    """The names are the engine's; a weight at the end of its range is read, one beyond refused."""
    assert [option.name for option in WEIGHT_OPTIONS] == list(RANGES)
    for option in WEIGHT_OPTIONS:
        low, high = RANGES[option.name]
        assert (option.read(str(low)), option.read(str(high))) == (low, high)
        with pytest.raises(ValueError, match=r"^$"):
            option.read(str(high + 1))
