"""The pulse of a child process: one byte a second on its standard output.

A child whose event loop hangs, or that was stopped, gives none. Its parent counts the seconds
without a beat in steps, each of which gives the loop a chance to read. So a parent that was held up
itself does not take its own pause for the child's.
"""

from __future__ import annotations

import asyncio
import os  # noqa: TID251  # the way to standard output
import sys
from collections.abc import Callable
from typing import Final, NoReturn

BEAT_S: Final = 1.0
BEAT: Final = b"."
READ_BYTES: Final = 1024


async def beat() -> NoReturn:
    """Send a pulse at intervals until cancelled, or until the parent is gone.

    Raises:
        BrokenPipeError: when the parent is gone.
    """
    while True:
        os.write(sys.stdout.fileno(), BEAT)
        await asyncio.sleep(BEAT_S)


def _ignore() -> None:
    """Note no beat."""


async def silence(
    beats: asyncio.StreamReader,
    *,
    first_s: float,
    silent_s: float,
    on_beat: Callable[[], None] = _ignore,
) -> bool:
    """Wait until a child gives no pulse any more.

    Args:
        beats: its standard output.
        first_s: how long its first beat may take; it has to start.
        silent_s: how long any further one may take.
        on_beat: called after each, or after some that came together.

    Returns:
        Whether it hangs; False when it has closed its output, as a child that ends does.
    """
    missed, allowed_s = 0, first_s
    while missed * BEAT_S < allowed_s:
        try:
            async with asyncio.timeout(BEAT_S):
                if not await beats.read(READ_BYTES):
                    return False
        except TimeoutError:
            missed += 1
        else:
            missed, allowed_s = 0, silent_s
            on_beat()
    return True
