"""Waits between attempts, such as to reach a broker, or to keep a child running."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress


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


async def wait_at_most(seconds: float, event: asyncio.Event) -> None:
    """Wait for an event, or until the time in seconds is over."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
