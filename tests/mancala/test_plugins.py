"""Entries of packages: found, loaded when they are asked for, and named where they fail."""

import re
import sys
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from mancala import plugins
from mancala.bot.players import registry
from mancala.extras import MissingExtraError, install_words
from mancala.plugins import Plugged, PluginError, PluginGroup
from mancala.scripts import mancala as commands
from mancala.server.app import server
from mancala.server.config.settings import ConfigError
from mancala.server.net import gateways
from tests.server.peers import arena
from tests.sources import run_python

MODULE = """
'''What it is for.

More of it.
'''
import mancala_lacking_nothing
"""
FAILING = """
from mancala.bot.players.kind import PlayerKind
from mancala.server.config.settings import Section
from mancala.server.net.gateways import GatewayKind

def COMMANDS(_given):
    raise RuntimeError("too bad")

PLAYERS = PlayerKind("left", "", (), COMMANDS)
GATEWAYS = GatewayKind("", Section, COMMANDS)
"""


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages that Python finds; only its own entries are known."""
    plugins.entries.cache_clear()
    plugins.tell.cache_clear()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return tmp_path


def install(folder: Path, package: str, entries: str, *, requires: str = "") -> None:
    info = folder / f"{package}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: {package}\nVersion: 1\n{requires}"
    )
    (info / "entry_points.txt").write_text(entries)


def test_an_entry_is_loaded_when_it_is_asked_for(
    packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names are known before; ours come first."""
    install(packages, "one", "[mancala.rules]\nleft = operator:add\n")
    found: Plugged[Any] = Plugged(PluginGroup.RULES, type(sum), {"sum": sum})
    assert list(found) == ["sum", "left"]
    assert len(found) == 2
    assert ("left" in found, "right" in found) == (True, False)
    assert found["left"](2, 3) == 5
    assert capsys.readouterr().err == ""


def test_of_two_entries_with_one_name_the_first_is_used(
    packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And one that takes the name of ours is left out; each is named once."""
    install(packages, "two", "[mancala.rules]\nleft = operator:sub\nsum = operator:sub\n")
    install(packages, "one", "[mancala.rules]\nleft = operator:add\n")
    found: Plugged[Any] = Plugged(PluginGroup.RULES, type(sum), {"sum": sum})
    assert (found["left"](5, 3), found["sum"]) == (8, sum)
    first, second = capsys.readouterr().err.splitlines()
    left_out = "of the package two (mancala.rules) is left out"
    assert (
        first
        == f"mancala: 'left' {left_out}: 'left' of the package one (mancala.rules) has its name"
    )
    assert second == f"mancala: 'sum' {left_out}: one of ours has its name"
    faults = []
    for plugin in plugins.entries():
        with suppress(PluginError):
            found.check(plugin)
            continue
        faults.append((plugin.name, plugin.package))
    assert {("left", "two"), ("sum", "two")} <= set(faults)
    assert ("left", "one") not in faults


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("mancala_no_such:it", "ModuleNotFoundError: No module named 'mancala_no_such'"),
        ("operator:nothing", "AttributeError: module 'operator' has no attribute 'nothing'"),
        ("operator", "it is no builtin_function_or_method"),
    ],
)
def test_an_entry_that_fails_is_named_and_stops_no_other(
    packages: Path, capsys: pytest.CaptureFixture[str], value: str, why: str
) -> None:
    """The sentence says whose it is and why."""
    install(packages, "one", f"[mancala.rules]\nleft = {value}\nright = operator:add\n")
    found = Plugged(PluginGroup.RULES, type(sum))
    sentence = f"'left' of the package one (mancala.rules) fails: {why}"
    with pytest.raises(PluginError) as caught:
        found["left"]
    assert str(caught.value) == sentence
    assert len(list(found.loaded())) == 1
    assert capsys.readouterr().err == f"mancala: {sentence}\n"


async def start(group: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the player, add the command or open the gateway with the name ``left``."""
    if group == "players":
        players: Plugged[Any] = Plugged(PluginGroup.PLAYERS, registry.PlayerKind)
        monkeypatch.setattr(registry, "PLAYERS", players)
        registry.make_player("left")
    elif group == "commands":
        registers: Plugged[Any] = Plugged(PluginGroup.COMMANDS, FunctionType)
        monkeypatch.setattr(commands, "REGISTERS", registers)
        _ = commands.Commands()["left"]
    else:
        kinds: Plugged[Any] = Plugged(PluginGroup.GATEWAYS, gateways.GatewayKind)
        for module in (gateways, server):
            monkeypatch.setattr(module, "GATEWAYS", kinds)
        async with arena(folder, gateways={"left": {}}):
            raise AssertionError


@pytest.mark.parametrize("group", ["players", "commands", "gateways"])
async def test_code_of_an_entry_that_raises_at_its_start_is_named(
    packages: Path, monkeypatch: pytest.MonkeyPatch, group: str
) -> None:
    """It was a traceback."""
    module = f"failing_{group}"
    (packages / f"{module}.py").write_text(FAILING)
    install(packages, "one", f"[mancala.{group}]\nleft = {module}:{group.upper()}\n")
    sentence = f"'left' of the package one (mancala.{group}) fails: RuntimeError: too bad"
    with pytest.raises(PluginError, match=f"^{re.escape(sentence)}$"):
        await start(group, packages, monkeypatch)


async def test_a_gateway_says_what_is_wrong_with_its_settings(
    packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command ends as with any other setting; it was a fault of the plug-in."""
    fault = FAILING.replace("RuntimeError", "ConfigError")
    fault = fault.replace("import Section", "import ConfigError, Section")
    (packages / "particular.py").write_text(fault)
    install(packages, "one", "[mancala.gateways]\nleft = particular:GATEWAYS\n")
    with pytest.raises(ConfigError, match=r"^too bad$"):
        await start("gateways", packages, monkeypatch)


async def test_a_command_that_is_added_under_another_name_is_missed(
    packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was `KeyError: 'left'`."""
    (packages / "misnamed.py").write_text("def add(app):\n    app.command('right')(print)\n")
    install(packages, "one", "[mancala.commands]\nleft = misnamed:add\n")
    why = r"'left' of the package one \(mancala.commands\) fails: it adds no command 'left'"
    with pytest.raises(PluginError, match=f"^{why}$"):
        await start("commands", packages, monkeypatch)


def test_an_entry_without_its_extra_says_what_to_install(packages: Path) -> None:
    """Loading it does, and so does an error that its code raises later."""
    needs = 'Requires-Dist: numpy\nRequires-Dist: mancala-nobody>=2; extra == "more"\n'
    (packages / "lacking.py").write_text(MODULE)
    install(packages, "one", "[mancala.rules]\nleft = lacking:it [more]\n", requires=needs)
    (plugin,) = (each for each in plugins.entries() if each.package == "one")
    assert plugin.sentence == "What it is for."
    assert plugin.missing == install_words("more", "one") == 'pip install "one[more]"'
    with pytest.raises(MissingExtraError, match=r"^mancala_lacking_nothing is not installed; pip"):
        plugin.load()
    with pytest.raises(ModuleNotFoundError) as caught:
        __import__("lacking")
    in_a_task = plugin.failure(ExceptionGroup("tasks", [caught.value]))
    assert isinstance(in_a_task, MissingExtraError)
    assert "pip install" in str(plugins.explained(caught.value))


def test_a_package_that_is_older_than_its_sources_is_named() -> None:
    """Else its own players and commands would be missing without a word."""
    program = (
        "import importlib.metadata; importlib.metadata.distributions = lambda: ()\n"
        "from mancala.plugins import entries; print(entries())"
    )
    done = run_python("-c", program)
    assert (done.stdout, done.stderr) == ("()\n", f"mancala: {plugins.STALE}\n")
