"""How long a test waits for something that must happen.

Tests wait for events, never for instants, so this bound is met only when the event never comes. It
is generous because a busy machine may take a hundred times as long as an idle one.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from websockets.asyncio import client

PATIENCE_S: Final = 120.0
WALK_S: Final = 6 * PATIENCE_S
"""How long all waits of a test take together, with the processes that it starts."""
connect: Final = partial(client.connect, open_timeout=PATIENCE_S, ping_timeout=PATIENCE_S)
"""Connect as websockets does, which by itself would wait for ten seconds."""


async def until(is_so: Callable[[], object]) -> None:
    """Let the loop run until something is so of which nothing tells."""
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():  # noqa: ASYNC110  # nothing sets an event
            await asyncio.sleep(0)
