"""What threads are worth: the figures are of the same positions, and differences are paired."""

from __future__ import annotations

import pytest

from mancala.engine.search.reports import Report
from mancala.scripts.bench.search.strength import MoveCost
from mancala.scripts.bench.search.threads import compared


def answer(*, exact: bool, depth: int, loss: int) -> tuple[Report, MoveCost]:
    """Make up an answer to a position of 35 seeds."""
    report = Report(
        depth=depth, pit=0, value=0.0, exact=exact, pv=(), nodes=1000, seconds=0.1, moves=()
    )
    return report, MoveCost(35, loss, changed=False)


def test_what_threads_bring_is_told_with_its_error() -> None:
    """One of two positions was proven instead of none, a ply deeper and a seed better."""
    alone = [answer(exact=False, depth=10, loss=1), answer(exact=False, depth=12, loss=0)]
    together = [answer(exact=True, depth=12, loss=0), answer(exact=False, depth=12, loss=0)]
    told = compared(alone, together)
    assert told["alone"]["proven"] == 0.0
    assert told["together"]["depth"] == 12.0
    assert told["more"]["proven"] == pytest.approx({"mean": 0.5, "error": 0.98})
    assert told["more"]["depth"] == pytest.approx({"mean": 1.0, "error": 1.96})
    assert told["more"]["loss"] == pytest.approx({"mean": -0.5, "error": 0.98})
