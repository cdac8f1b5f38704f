"""The interval beside a ladder's rating: the short form of the measurement."""

import numpy as np
import pytest

from mancala.scripts.bench.calibration.ladder_intervals import LadderField, guests_covered


@pytest.mark.parametrize("field", [LadderField(2, 1), LadderField(2, 2, anchored=True)])
def test_intervals_of_guests_hold_the_truth(field: LadderField, rng: np.random.Generator) -> None:
    """Some 95 of 100 do, where two house bots' mean is the zero and where they are anchors."""
    found = guests_covered(field, 120, 6, rng)
    assert 0.88 <= found["covered"] <= 1.0
