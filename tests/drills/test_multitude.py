"""A crowd of bots that does not come, and stages that bring none."""

import asyncio
import sys

import pytest
import typer

from tests.drills import multitude
from tests.patience import PATIENCE_S


async def test_bots_whose_process_hangs_are_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It answers no order, so the wait has to end within one."""
    monkeypatch.setattr(multitude, "LOOK_S", 0)
    hangs = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "import sys; sys.stdin.read()"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    peers = multitude.Peers([hangs])
    peers.total = 1
    try:
        with pytest.raises(SystemExit, match="0 of 1 came"):
            async with asyncio.timeout(PATIENCE_S):
                await peers.gather(1.0, patience_s=0.1)
    finally:
        hangs.kill()
        await hangs.wait()


@pytest.mark.parametrize("stages", [[500, 500], [500, 400]])
def test_each_stage_brings_bots(stages: list[int]) -> None:
    """One that brings none has no login to measure."""
    with pytest.raises(typer.BadParameter, match="larger than the one before"):
        multitude.main(multitude.MultitudePlan(stages))
