"""Waiting: for a spell of time in which something is counted, or until something holds."""

import asyncio
from collections.abc import Callable
from typing import Final

from tests.patience import PATIENCE_S

LOOK_S: Final = 0.05


async def spell(length_s: float, counted: Callable[[], object]) -> float:
    """Wait for a time, and on until something was counted; return how long that took, in seconds.

    A machine that does something else may stand still for a whole spell, which says nothing of the
    server. After `PATIENCE_S` more it is no longer the machine's fault.
    """
    loop = asyncio.get_running_loop()
    began_at = loop.time()
    await asyncio.sleep(length_s)
    while not counted() and loop.time() - began_at < length_s + PATIENCE_S:  # noqa: ASYNC110  # what is counted sets no event
        await asyncio.sleep(LOOK_S)
    return loop.time() - began_at


async def until(holds: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    async with asyncio.timeout(patience_s):
        while not holds():  # noqa: ASYNC110  # the store of another process sets no event
            await asyncio.sleep(LOOK_S)
