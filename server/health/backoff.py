"""How long to wait before trying again."""

from __future__ import annotations

from collections.abc import Callable, Iterator


def backoff(
    uniform: Callable[[float, float], float],
    *,
    first_s: float = 0.1,
    factor: float = 1.7,
    longest_s: float = 15.0,
) -> Iterator[float]:
    """Yield the delay before each further attempt, in seconds, with 25 % jitter.

    Args:
        uniform: returns a random number between two others, for the jitter.
        first_s: the first delay.
        factor: what each further delay is multiplied by.
        longest_s: the longest delay.
    """
    delay = first_s
    while True:
        yield delay * uniform(0.75, 1.25)
        delay = min(longest_s, delay * factor)
