"""Cancellations that asyncio forgets, and so a task that would go on for ever."""

import asyncio


def reraise_cancellation() -> None:
    """End this task if it was cancelled and has not heard of it.

    A task group forgets a cancellation when one of its tasks fails in the same turn (before Python
    3.13), and `asyncio.wait_for`, with which aiomqtt waits for the broker, when the answer comes
    in that turn (before 3.12).
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
