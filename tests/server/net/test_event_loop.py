"""The loop that a server runs on: uvloop's if it is installed, and asyncio's without it."""

import asyncio
import sys
from importlib.util import find_spec
from time import monotonic

import pytest

from mancala.server.net.event_loop import loop_factory, run

LOOPS = [
    "asyncio",
    pytest.param("uvloop", marks=pytest.mark.skipif(not find_spec("uvloop"), reason="an extra")),
]


async def kind() -> str:
    modules = [base.__module__.partition(".")[0] for base in type(asyncio.get_running_loop()).mro()]
    return "uvloop" if "uvloop" in modules else modules[0]


@pytest.mark.parametrize("loop", LOOPS)
def test_the_extra_is_used_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch, loop: str
) -> None:
    """Nothing else has to be set."""
    if loop == "asyncio":
        monkeypatch.setitem(sys.modules, "uvloop", None)
        assert loop_factory() is None
    assert run(kind()) == loop


@pytest.mark.parametrize("loop", LOOPS)
def test_the_time_goes_on_while_a_callback_runs(monkeypatch: pytest.MonkeyPatch, loop: str) -> None:
    """An answer that is read after a stall is not taken for one before it."""
    if loop == "asyncio":
        monkeypatch.setitem(sys.modules, "uvloop", None)

    async def times() -> list[float]:
        now = asyncio.get_running_loop().time
        before = monotonic()
        while monotonic() == before:
            pass
        between = now()
        fired: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_at(between + 0.001, lambda: fired.set_result(now()))
        return [before, between, await fired]

    before, between, fired = run(times())
    assert before < between <= monotonic()
    assert fired >= between
