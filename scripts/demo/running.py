"""Runs a match of processes from a command: its failures and Ctrl-C become exit codes."""

import asyncio
import re
import signal
from collections.abc import Callable, Coroutine, Iterator
from typing import Final

import typer
from websockets.exceptions import WebSocketException

from ..console import output as console
from ..console.processes.subscriber import SubscriberError
from ..console.processes.supervisor import ChildError
from ..console.processes.temporary import ServedArena

INTERRUPTED: Final = 130


def run_match(work: Callable[[], Coroutine[None, None, ServedArena]]) -> ServedArena:
    """Run the match; turn failures and Ctrl-C into exit codes."""
    expected = (ChildError, SubscriberError, WebSocketException, OSError)
    try:
        return asyncio.run(_interruptible(work()))
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise typer.Exit(INTERRUPTED) from None
    except (ExceptionGroup, *expected) as error:
        causes = list(_leaves(error))
        if not all(isinstance(cause, expected) for cause in causes):
            raise
        console.fail(causes[0], code=console.FAILED)


def _leaves(error: Exception) -> Iterator[Exception]:
    if isinstance(error, ExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


async def _interruptible(work: Coroutine[None, None, ServedArena]) -> ServedArena:
    """Run ``work`` so that SIGTERM cancels it as Ctrl-C does."""
    task = asyncio.ensure_future(work)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await task


def names_of(first: tuple[str, str], second: tuple[str, str]) -> dict[str, str]:
    """Return two SPECs by names that a server takes, from their names; equal ones get a number."""
    one, other = (
        re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:40] for name, _ in (first, second)
    )
    if one == other:
        one, other = f"{one}-1", f"{other}-2"
    return {one: first[1], other: second[1]}
