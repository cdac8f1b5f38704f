"""Gateways that settings name."""

import asyncio
from importlib.metadata import EntryPoint, distribution
from typing import Any, Self

import pytest

from mancala.plugins import Plugin, PluginError
from mancala.server.config.settings import Config, ConfigError
from mancala.server.net.gateways import GATEWAYS, close, entered, wanted
from tests.patience import PATIENCE_S


def test_a_gateway_that_no_package_adds_is_named() -> None:
    """With those that there are."""
    config = Config(name="arena", gateways={"telegraph": {}})
    with pytest.raises(ConfigError, match=r"gateways\.telegraph: no package adds it; .*kgp"):
        list(wanted(config))


class FallingGateway:
    """One that has no `close`, and whose block fails at its end."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        raise ValueError("as it ended")


@pytest.fixture
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("bare", "bare:GATEWAY", "mancala.gateways")
    plugin = Plugin(entry, "mancala-bare", distribution("pytest"))
    monkeypatch.setattr(GATEWAYS, "plugins", {"bare": plugin})


@pytest.mark.usefixtures("_bare")
async def test_a_plug_ins_gateway_that_cannot_close_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It ended the server's stop with a traceback; so did one whose block failed at its end."""
    bare: Any = FallingGateway()
    async with entered("bare", bare) as gateway:
        await close("bare", gateway)
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2
    for line, fault in zip(told, ("AttributeError", "ValueError: as it ended"), strict=True):
        assert f"'bare' of the package mancala-bare (mancala.gateways) fails: {fault}" in line


class GatewayOfTasks:
    """One whose work is in a task group of its own, and fails when it is let."""

    def __init__(self) -> None:
        self.fails, self.failed = asyncio.Event(), asyncio.Event()
        self._tasks = asyncio.TaskGroup()

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        self._tasks.create_task(self._work())
        return self

    async def _work(self) -> None:
        await self.fails.wait()
        raise ValueError("as it ran")

    async def __aexit__(self, *error: Any) -> None:  # noqa: ANN401, PYI036  # passed on
        self.failed.set()
        await self._tasks.__aexit__(*error)


@pytest.mark.usefixtures("_bare")
async def test_a_plug_ins_gateway_that_fails_as_it_runs_stops_nothing_else(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its task group cancelled the server's own task, so the server ended."""
    gateway: Any = GatewayOfTasks()
    async with entered("bare", gateway):
        gateway.fails.set()
        async with asyncio.timeout(PATIENCE_S):
            await gateway.failed.wait()
    assert "ValueError: as it ran" in capsys.readouterr().err


@pytest.mark.usefixtures("_bare")
async def test_a_plug_ins_gateway_whose_start_is_cancelled_ends_the_start() -> None:
    """It had the server wait for ever."""

    class Cancelled:
        async def __aenter__(self) -> Self:
            raise asyncio.CancelledError

        async def __aexit__(self, *_: object) -> None: ...

    cancelled: Any = Cancelled()
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(PluginError, match="its start was cancelled"), GATEWAYS.guarded("bare"):
            async with entered("bare", cancelled):
                pass


@pytest.mark.usefixtures("_bare")
async def test_what_fails_beside_a_gateway_is_raised_as_it_is() -> None:
    """In no group."""
    gateway: Any = FallingGateway()
    with pytest.raises(OSError, match=r"^the port is taken$"):
        async with entered("bare", gateway):
            raise OSError("the port is taken")


async def test_a_gateway_that_can_not_open_says_why() -> None:
    """As it is, in no group."""

    class Shut:
        async def __aenter__(self) -> Self:
            raise OSError("the port is taken")

        async def __aexit__(self, *_: object) -> None: ...

    shut: Any = Shut()
    with pytest.raises(OSError, match=r"^the port is taken$"):
        async with entered("shut", shut):
            pass
