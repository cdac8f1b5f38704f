"""Gateways that settings name."""

from importlib.metadata import EntryPoint, distribution
from typing import Any, Self

import pytest

from mancala.plugins import Plugin
from mancala.server.config.settings import Config, ConfigError
from mancala.server.net.gateways import GATEWAYS, close, entered, wanted


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


async def test_a_plug_ins_gateway_that_cannot_close_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ended the server's stop with a traceback; so did one whose block failed at its end."""
    entry = EntryPoint("bare", "bare:GATEWAY", "mancala.gateways")
    plugin = Plugin(entry, "mancala-bare", distribution("pytest"))
    monkeypatch.setattr(GATEWAYS, "plugins", {"bare": plugin})
    bare: Any = FallingGateway()
    async with entered("bare", bare) as gateway:
        await close("bare", gateway)
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2
    for line, fault in zip(told, ("AttributeError", "ValueError: as it ended"), strict=True):
        assert f"'bare' of the package mancala-bare (mancala.gateways) fails: {fault}" in line
