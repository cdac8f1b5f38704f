"""What moves lose against proven values: the mean, and where it lies."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, variance
from typing import NamedTuple

from mancala.protocol.loss_interval import LossInterval, loss_interval


class Loss(NamedTuple):
    """What answers lose, in seeds a move.

    Attributes:
        positions: number of answers.
        loss: the mean loss; no valid answer counts as the worst move.
        interval: where it lies with 95 % certainty.
        best_share: the share of answers that lose nothing, 0..1.
        share: the share of what the worst moves lose, 0..1; 0 where that is unknown.
    """

    positions: int
    loss: float
    interval: LossInterval
    best_share: float
    share: float = 0.0


def mean_loss(losses: Sequence[int], most: Sequence[int] = ()) -> Loss | None:
    """Return what answers lose; None without any.

    Args:
        losses: the seeds that each one loses.
        most: the seeds that the worst moves in their positions lose.
    """
    if not losses:
        return None
    share = sum(losses) / sum(most) if any(most) else 0.0
    spread = variance(losses) if len(losses) > 1 else float(losses[0] ** 2)
    interval = loss_interval(len(losses), sum(losses), len(losses) * spread)
    return Loss(len(losses), fmean(losses), interval, losses.count(0) / len(losses), share)
