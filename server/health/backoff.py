"""Waits between attempts, such as to reach a broker, or to keep a child running."""

from collections.abc import Callable, Iterator


def backoff(
    uniform: Callable[[float, float], float],
    *,
    first_s: float = 0.1,
    factor: float = 1.7,
    longest_s: float = 15.0,
) -> Iterator[float]:
    """Yield the delay before each further attempt, with 25 % jitter that ``uniform`` draws."""
    delay = first_s
    while True:
        yield delay * uniform(0.75, 1.25)
        delay = min(longest_s, delay * factor)
