"""Gateways that settings name."""

from importlib.metadata import EntryPoint, distribution
from typing import Any

import pytest

from mancala.plugins import Plugin
from mancala.server.config.settings import Config, ConfigError
from mancala.server.net.gateways import GATEWAYS, close, wanted


def test_a_gateway_that_no_package_adds_is_named() -> None:
    """With those that there are."""
    config = Config(name="arena", gateways={"telegraph": {}})
    with pytest.raises(ConfigError, match=r"gateways\.telegraph: no package adds it; .*kgp"):
        list(wanted(config))


async def test_a_plug_ins_gateway_that_cannot_close_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ended the server's stop with a traceback, before the other ports were closed."""
    entry = EntryPoint("bare", "bare:GATEWAY", "mancala.gateways")
    plugin = Plugin(entry, "mancala-bare", distribution("pytest"))
    monkeypatch.setattr(GATEWAYS, "plugins", {"bare": plugin})
    bare: Any = object()
    await close("bare", bare)
    told = capsys.readouterr().err
    assert "'bare' of the package mancala-bare (mancala.gateways) fails: AttributeError" in told
