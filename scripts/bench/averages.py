"""A mean, and how far off it may be: what the measurements print."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple


class Average(NamedTuple):
    """A mean of random quantities.

    Attributes:
        mean: the mean.
        error: its standard error.
    """

    mean: float
    error: float

    def rounded(self) -> Average:
        """Return both for JSON, to four places."""
        return Average(round(self.mean, 4), round(self.error, 4))


def average(numbers: Collection[float]) -> Average:
    """Average numbers; the error is that of a sample, and 0 for a single one.

    Raises:
        ZeroDivisionError: when there is no number.
    """
    count = len(numbers)
    mean = sum(numbers) / count
    spread = sum((number - mean) ** 2 for number in numbers) / max(1, count - 1)
    return Average(mean, float((spread / count) ** 0.5))
