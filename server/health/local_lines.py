"""Messages, a line each, from a process on this machine: over a socket pair or a unix socket.

The other end may be killed in the middle of a line, or be of another version. Neither may end the
process that reads: a line that is cut off counts as the end, and so does, with a warning, one that
is too long or no message.
"""

from __future__ import annotations

from asyncio import StreamReader
from collections.abc import Callable
from typing import TypeVar

from .log import Log

T = TypeVar("T")


async def next_message(
    reader: StreamReader, decode: Callable[[bytes], T], log: Log, *, sender: str
) -> T | None:
    """Return the next message, or None if none can follow.

    Args:
        reader: the connection.
        decode: returns the message in a line; raises ``ValueError`` where it holds none.
        log: receives that a line was no message.
        sender: the name of the other end in the log.
    """
    try:
        line = await reader.readline()
        return decode(line) if line.endswith(b"\n") else None
    except ConnectionError:
        return None
    except ValueError as error:
        log.warning("cannot read a line", sender=sender, error=str(error))
        return None
