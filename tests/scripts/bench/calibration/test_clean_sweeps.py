"""One Elo for the same games: the short form of the measurement."""

from __future__ import annotations

import pytest

from mancala.scripts.bench.calibration.clean_sweeps import both


def test_a_clean_sweep_has_one_elo() -> None:
    """A match and a tournament of the same six won games state the same difference."""
    found = both("alphabeta:depth=4", "random", 6, 1)
    assert found["score"] == 1.0
    assert found["match"] == pytest.approx(found["tournament"], abs=0.01)
