"""The bench of adopted fits."""

from __future__ import annotations

from mancala.scripts.bench.serving.adoption import measured
from mancala.server.ladders.ratings import SLICE


def test_every_piece_of_the_loops_work_is_measured() -> None:
    """Two fits of a ladder that change most ratings take several slices each."""
    found = measured(2 * SLICE, rounds=2, seed=1)
    assert found["slices"] >= 3
    assert 0 <= found["begin_ms"]["p50"] <= found["begin_ms"]["most"]
    assert found["slices_ms"]["p50"] <= found["slices_ms"]["most"] <= found["whole_ms"] * 2
