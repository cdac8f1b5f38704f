"""Time passes in steps, and what goes wrong ends a run at the next one."""

import asyncio

import pytest

from tests.simulate.loop import VirtualLoop, run
from tests.simulate.scenario import STEP_S, Scenario


def test_promises_are_checked_after_every_step() -> None:
    """The last one is as long as is left."""
    times: list[float] = []

    async def main(loop: VirtualLoop) -> None:
        began = loop.time()
        await Scenario(loop, lambda: times.append(loop.time() - began)).wait(2.5 * STEP_S)

    run(main, VirtualLoop)
    assert times == [STEP_S, 2 * STEP_S, 2.5 * STEP_S]


def test_the_first_error_is_raised() -> None:
    """Whatever follows from it is not what went wrong."""

    async def main(loop: VirtualLoop) -> None:
        scenario = Scenario(loop, lambda: None)
        asyncio.get_running_loop().call_later(0.1, scenario.note, ValueError("first"))
        asyncio.get_running_loop().call_later(0.2, scenario.note, ValueError("second"))
        await scenario.wait(STEP_S)

    with pytest.raises(ValueError, match="first"):
        run(main, VirtualLoop)
