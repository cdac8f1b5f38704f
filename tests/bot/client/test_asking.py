"""Asking a bot's function: async or plain, its errors, and how long it holds the loop."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from mancala.bot.client.asking import ask, timed
from tests.patience import PATIENCE_S


class Callables:
    """Callables that are no functions."""

    async def __call__(self, question: int) -> int:
        await asyncio.sleep(0)
        return question + 1

    def method(self, question: int) -> int:
        return question + 1


async def plain_async(question: int, further: int = 1) -> int:
    return question + further


@pytest.mark.parametrize(
    "function",
    [
        plain_async,
        partial(plain_async, further=1),
        Callables(),
        Callables().method,
        lambda question: plain_async(question, 1),
    ],
    ids=["async", "partial", "async object", "method", "lambda to async"],
)
async def test_any_callable_may_answer(function: Callable[[int], Awaitable[int] | int]) -> None:
    """Async and plain functions, methods, objects and lambdas are asked alike."""
    assert await ask(function, 4) == 5


async def test_a_plain_function_leaves_the_loop_free() -> None:
    """What a plain function waits for may happen on the loop meanwhile."""
    told = threading.Event()

    def waits(question: int) -> int:
        assert threading.current_thread() is not threading.main_thread()
        assert told.wait(PATIENCE_S)
        return question

    answer = asyncio.ensure_future(ask(waits, 3))
    asyncio.get_running_loop().call_soon(told.set)
    assert await answer == 3


@pytest.mark.parametrize("error", [ValueError("no idea"), StopIteration(3)])
async def test_an_error_of_a_plain_function_is_raised(error: Exception) -> None:
    """A thread's error ends up where the answer is awaited; so does one that no future takes."""

    def fails(_question: int) -> int:
        raise error

    with pytest.raises((ValueError, RuntimeError), match=r"no idea|StopIteration\(3\)"):
        await ask(fails, 1)


async def test_an_answer_that_comes_after_the_question_is_dropped() -> None:
    """A cancelled question's thread ends by itself, and nothing is said of its answer."""
    is_asked, goes_on, is_done = asyncio.Event(), threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def thinks(question: int) -> int:
        loop.call_soon_threadsafe(is_asked.set)
        assert goes_on.wait(PATIENCE_S)
        loop.call_soon_threadsafe(is_done.set)
        return question

    answer = asyncio.ensure_future(ask(thinks, 1))
    await is_asked.wait()
    answer.cancel()
    with pytest.raises(asyncio.CancelledError):
        await answer
    goes_on.set()
    await is_done.wait()
    await asyncio.sleep(0)


async def test_each_step_is_timed() -> None:
    """Only what runs between two suspensions counts, and the result is the coroutine's."""
    steps: list[float] = []

    async def works() -> str:
        await asyncio.sleep(0.05)
        time.sleep(0.02)  # noqa: ASYNC251  # the blocking that is measured
        return "done"

    assert await timed(works(), steps.append) == "done"
    assert len(steps) == 2
    assert steps[1] >= 0.02


async def test_a_timed_coroutine_hears_of_its_cancellation() -> None:
    """What is thrown into the wait reaches the coroutine, which may clean up."""
    cleaned = asyncio.Event()

    async def works() -> None:
        try:
            await asyncio.Future[None]()
        finally:
            cleaned.set()

    task = asyncio.ensure_future(_awaited(works()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cleaned.is_set()


async def _awaited(work: object) -> None:
    await timed(work, lambda _: None)  # type: ignore[arg-type]
