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
    """

    positions: int
    loss: float
    interval: LossInterval
    best_share: float


def mean_loss(losses: Sequence[int]) -> Loss | None:
    """Return what answers lose, from the seeds that each one loses; None without any."""
    if not losses:
        return None
    spread = variance(losses) if len(losses) > 1 else float(losses[0] ** 2)
    interval = loss_interval(len(losses), sum(losses), len(losses) * spread)
    return Loss(len(losses), fmean(losses), interval, losses.count(0) / len(losses))
