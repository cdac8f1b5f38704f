"""Ask a bot's `choose`: await an async one, run a plain one in a thread, and time both.

Everything on a connection shares one event loop. An async `choose` that computes without awaiting
holds the loop: no ping is answered and no other game is heard meanwhile. So the time between two
suspensions is measured (`timed`), and the longest one is reported to the bot's author. A plain
function is free to compute, because it has a thread of its own. That thread is a daemon: a search
that never ends does not keep the process from ending.
"""

import asyncio
import inspect
import threading  # noqa: TID251  # a plain function thinks beside the loop
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import suppress
from types import coroutine
from typing import Any, TypeVar

A = TypeVar("A")
T = TypeVar("T")


async def ask(choose: Callable[[A], Awaitable[T] | T], question: A) -> T:
    """Return the answer of an async function, or of a plain one that runs in a thread."""
    if _is_async(choose):
        answer = choose(question)
    else:
        answer = await _in_thread(choose, question)
    return await answer if inspect.isawaitable(answer) else answer


def _is_async(function: Callable[..., object]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004  # the method itself, not whether it is there
    )


def _in_thread(function: Callable[[A], T], question: A) -> asyncio.Future[T]:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(set_value: Callable[[Any], None], value: object) -> None:
        if not future.done():
            set_value(value)

    def report(set_value: Callable[[Any], None], value: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: the answer came after the bot's end
            loop.call_soon_threadsafe(settle, set_value, value)

    def think() -> None:
        try:
            answer = function(question)
        except StopIteration as error:  # which no future takes
            report(future.set_exception, RuntimeError(f"choose() raised {error!r}"))
        except BaseException as error:  # noqa: BLE001  # raised again where it is awaited
            report(future.set_exception, error)
        else:
            report(future.set_result, answer)

    threading.Thread(target=think, name="choose", daemon=True).start()
    return future


@coroutine
def timed(work: Coroutine[Any, Any, T], on_step: Callable[[float], None]) -> Generator[Any, Any, T]:
    """Await a coroutine, and report the seconds of each step between two suspensions."""
    clock = asyncio.get_running_loop().time
    value: Any = None
    error: BaseException | None = None
    while True:
        began = clock()
        try:
            awaited = work.send(value) if error is None else work.throw(error)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]  # the coroutine's own result
        finally:
            on_step(clock() - began)
        value = error = None
        try:
            value = yield awaited
        except BaseException as thrown:  # noqa: BLE001  # the coroutine's to handle
            error = thrown
