"""The interval of a mean loss."""

from math import log

import pytest

from mancala.protocol.loss import WRONG_MOVE, loss_interval


@pytest.mark.parametrize("moves", [1, 30, 300])
def test_where_nothing_was_lost_the_bound_is_exact(moves: int) -> None:
    """Never 0 ± 0: with 97.5 % certainty at most 3.69 errors of the usual size are possible."""
    found = loss_interval(moves, 0, 0)
    assert found.low == 0
    assert found.high == pytest.approx(-log(0.025) * WRONG_MOVE / moves, rel=0.01)


def test_many_losses_have_the_normal_interval() -> None:
    """1.96 standard errors on either side, to a fiftieth."""
    found = loss_interval(10_000, 20_000, 90_000)
    assert found.low == pytest.approx(2 - 1.96 * 0.03, abs=0.001)
    assert found.high == pytest.approx(2 + 1.96 * 0.03, abs=0.002)
    assert found.error == pytest.approx(1.96 * 0.03, rel=0.02)


def test_few_losses_reach_further_up_than_down() -> None:
    """Two errors of three seeds in a hundred moves: 0.06, and up to four times as much."""
    found = loss_interval(100, 6, 18)
    assert 0 < found.low < 0.02
    assert 0.2 < found.high < 0.4


def test_losses_that_never_vary_are_still_in_doubt() -> None:
    """The interval holds the mean, and a further error above it."""
    found = loss_interval(10, 20, 0)
    assert found.low == 2
    assert found.high > 2
