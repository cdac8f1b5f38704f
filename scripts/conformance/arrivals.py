"""Awaiting the bot's connections, and its process's failure."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from websockets.asyncio.server import ServerConnection

from .starting import BotProcess


class AcceptedConnection(NamedTuple):
    """A connection that was accepted, and whether another one was open then."""

    socket: ServerConnection
    is_further: bool


async def next_arrival(
    arrivals: asyncio.Queue[AcceptedConnection], process: BotProcess | None, within_s: float
) -> tuple[AcceptedConnection | None, int | None]:
    """Return the next connection; or None, and the exit code if the bot's command has failed."""
    coming = asyncio.ensure_future(arrivals.get())
    failing = asyncio.ensure_future(process.failed()) if process else None
    waiting = {each for each in (coming, failing) if each is not None}
    done, _ = await asyncio.wait(waiting, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
    for each in waiting:
        each.cancel()
    arrival = coming.result() if coming in done else None
    code = failing.result() if failing is not None and failing in done else None
    return arrival, code
