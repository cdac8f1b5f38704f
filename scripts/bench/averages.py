"""A mean, and how far off it may be: what the measurements print."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from mancala.server.rating.scale import Z95


class Average(NamedTuple):
    """A mean of random quantities, and half of its 95 % interval."""

    mean: float
    error: float

    def rounded(self) -> Average:
        return Average(round(self.mean, 4), round(self.error, 4))


def average(numbers: Collection[float]) -> Average:
    """Average numbers; the error is that of a sample, by the normal law, and 0 for a single one."""
    count = len(numbers)
    mean = sum(numbers) / count
    spread = sum((number - mean) ** 2 for number in numbers) / max(1, count - 1)
    return Average(mean, Z95 * float((spread / count) ** 0.5))
