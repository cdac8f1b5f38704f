"""The loop of the full stack: virtual time, processes that can be killed, and a network in memory.

It is our own because the public ones for the purpose (``simloom``, ``seedloop``, ``looptime``) are
young and do not fit: they need Python 3.12, or have no network, or let timers of a killed process
fire in the next one. asyncio's own loop with a selector that lets time pass instead of waiting
(:mod:`tests.simulate.loop`) needs only what this module adds.

What is not repeated from run to run is what websockets draws by itself: masks, keys and the
payloads of pings. Their lengths are fixed, so nothing follows from them.
"""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, copy_context
from itertools import count
from typing import Any, TypeVar, TypeVarTuple

from tests.simulate.full_stack.host import (
    KilledError,
    NumberedFuture,
    NumberedTask,
    current_host,
    host_of,
)
from tests.simulate.full_stack.network import Network
from tests.simulate.loop import VirtualLoop

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class FullStackLoop(VirtualLoop):
    """An event loop in virtual time, for several processes on one network."""

    network: Network

    def __init__(self) -> None:
        super().__init__()
        self._numbers = count(1)

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        context = copy_context() if context is None else context
        host = host_of(context)
        if host is None:
            return super().call_soon(callback, *args, context=context)
        return super().call_soon(host.step, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Schedule a callback for an instant, in the process of its context."""
        context = copy_context() if context is None else context
        host = host_of(context)
        if host is None:
            return super().call_at(when, callback, *args, context=context)
        return super().call_at(when, host.step, callback, *args, context=context)

    def run_in_executor(
        self, executor: object, func: Callable[..., T], *args: object
    ) -> asyncio.Future[T]:
        """Run the work immediately, unless its process is dead."""
        host = current_host()
        if host is not None and host.is_dead:
            raise KilledError
        return super().run_in_executor(executor, func, *args)

    def create_task(
        self,
        coro: Generator[Any, None, T] | Coroutine[Any, Any, T],
        *,
        name: object = None,
        context: Context | None = None,
        **_options: object,
    ) -> asyncio.Task[T]:
        context = copy_context() if context is None else context
        host = host_of(context)
        if host is not None and host.is_dead:
            coro.close()
            raise KilledError
        number = next(self._numbers)
        task = NumberedTask(coro, loop=self, number=number, name=name, context=context)
        if host is not None:
            host.tasks.add(task)
        return task

    def create_future(self) -> asyncio.Future[Any]:
        return NumberedFuture(loop=self, number=next(self._numbers))

    async def create_connection(
        self,
        protocol_factory: Any,  # noqa: ANN401  # as in asyncio
        host: Any = None,  # noqa: ANN401  # as in asyncio
        port: Any = None,  # noqa: ANN401  # as in asyncio
        **_options: Any,  # noqa: ANN401  # as in asyncio
    ) -> tuple[Any, Any]:
        del host
        return await self.network.connect(protocol_factory, port)
