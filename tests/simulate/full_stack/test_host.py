"""Simulated processes, and how they die."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from tests.simulate.full_stack.host import SimulatedHost
from tests.simulate.full_stack.loop import FullStackLoop
from tests.simulate.loop import run

T = TypeVar("T")


def on_loop(work: Coroutine[Any, Any, T]) -> T:

    async def main(_loop: FullStackLoop) -> T:
        return await work

    return run(main, FullStackLoop)


def test_nothing_of_a_dead_process_runs_any_more() -> None:
    """Its timers and tasks stop, while those of others go on."""
    ticks: list[str] = []

    async def tick(name: str) -> None:
        asyncio.get_running_loop().call_later(2.5, ticks.append, f"{name}'s timer")
        while True:
            await asyncio.sleep(1)
            ticks.append(name)

    async def scenario() -> None:
        hosts = [SimulatedHost(name, "192.0.2.1") for name in ("ann", "bob")]
        for host in hosts:
            host.start(tick(host.name), host.name)
        await asyncio.sleep(1.5)
        hosts[0].kill()
        await asyncio.sleep(2)
        hosts[1].kill()
        await asyncio.sleep(5)

    on_loop(scenario())
    assert ticks == ["ann", "bob", "bob", "bob's timer", "bob"]


def test_what_a_dead_process_held_is_let_go_of() -> None:
    """Each block is left, even where it would wait; nothing waits for its tasks."""
    left: list[str] = []

    async def work() -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(asyncio.sleep(10))
                await asyncio.sleep(10)
        finally:
            left.append("inner")
            try:
                await asyncio.sleep(10)
            finally:
                left.append("outer")

    async def scenario() -> int:
        host = SimulatedHost("ann", "192.0.2.1")
        host.start(work(), "work")
        await asyncio.sleep(1)
        host.kill()
        return len(asyncio.all_tasks())

    assert on_loop(scenario()) == 1
    assert left == ["inner", "outer"]


def test_a_process_may_die_before_any_of_its_callbacks() -> None:
    """The hook that counts its steps may kill it, and that step is not taken."""
    steps: list[int] = []

    async def scenario() -> None:
        def step() -> None:
            steps.append(len(steps))
            if len(steps) == 3:
                host.kill()

        host = SimulatedHost("ann", "192.0.2.1", stepped=step)
        host.start(walk(), "walk")
        await asyncio.sleep(60)

    async def walk() -> None:
        for _ in range(10):
            await asyncio.sleep(1)

    on_loop(scenario())
    assert steps == [0, 1, 2]
