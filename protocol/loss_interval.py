"""The 95 % interval of a mean loss: small, skewed and mostly zero.

Most moves of a good player lose nothing, and a few lose much. The normal interval of such a mean
holds the truth in far fewer than 95 of 100 samples, and is 0 ± 0 where nothing was lost. Here the
seeds lost, ``L`` with variance ``V``, are counted in units of ``V / L``: then their number
``L² / V`` varies as that of independent rare events does, and has the exact interval of Garwood
("Fiducial limits for the Poisson distribution", Biometrika 28, 1936), whose ends are quantiles of
chi-square. For the upper end one further error of a usual size is assumed. So where nothing was
lost in ``n`` moves, at most 3.69 such errors in ``n`` are possible: the exact bound.
"""

from __future__ import annotations

from math import sqrt
from typing import Final, NamedTuple

NORMAL_95: Final = 1.96
WRONG_MOVE: Final = 7.0
"""Seeds that a wrong move loses on average, if it is any one of them."""


class LossInterval(NamedTuple):
    """Where a mean loss lies with 95 % certainty, in seeds a move."""

    low: float
    high: float

    @property
    def error(self) -> float:
        """Half of its width; never 0."""
        return (self.high - self.low) / 2


def loss_interval(moves: int, lost: float, variance: float) -> LossInterval:
    """Return the interval of a mean loss.

    Args:
        moves: how many were counted, 1 or more.
        lost: seeds lost by all of them.
        variance: of ``lost``.
    """
    low = _ends(lost, variance)[0] if lost else 0.0
    high = _ends(lost + WRONG_MOVE, variance + WRONG_MOVE**2)[1]
    return LossInterval(low / moves, high / moves)


def _ends(lost: float, variance: float) -> tuple[float, float]:
    """Return the ends of the interval of seeds lost, in seeds."""
    if not variance:
        return lost, lost
    unit = variance / lost
    events = lost / unit
    low, high = (_chi_square(deviate, 2 * events) / 2 for deviate in (-NORMAL_95, NORMAL_95))
    return unit * low, unit * high


def _chi_square(deviate: float, freedom: float) -> float:
    """Return a quantile of chi-square by a normal deviate.

    To a hundredth from one degree of freedom on: E. B. Wilson and M. M. Hilferty, "The
    distribution of chi-square", Proceedings of the National Academy of Sciences 17, 1931.
    """
    part = 2 / (9 * freedom)
    return freedom * max(0.0, 1 - part + deviate * sqrt(part)) ** 3
