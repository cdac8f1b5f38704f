"""How options and a file become the server's settings."""

import asyncio
import resource
import signal
import socket
from functools import partial
from pathlib import Path

import httpx
import pytest
import typer
from typer.testing import CliRunner

from mancala.protocol import codec
from mancala.scripts.commands.hosting.serve import _checked, _noticed, _notify_unit, _read
from mancala.scripts.console.processes import house
from mancala.scripts.console.processes.temporary import ServedArena
from mancala.scripts.console.surroundings import allow_many_connections
from mancala.scripts.mancala import build
from mancala.server.config.settings import Config
from mancala.server.store.database.lock_file import claim
from tests.end_to_end.arena import hosted, start
from tests.patience import PATIENCE_S, WALK_S
from tests.server.fakes import KeptLog
from tests.simulate.loop import VirtualLoop, run

NO_BROKER = "[mqtt]\nprivate_broker = false\n"


def test_without_anything_the_defaults_hold() -> None:
    """A server can be started with no configuration at all."""
    config = _read(None, {})
    assert (config.host, config.port) == ("127.0.0.1", 8765)


def test_options_go_before_the_file(tmp_path: Path) -> None:
    """What is typed is meant; the rest of the file still holds."""
    path = tmp_path / "arena.toml"
    path.write_text('name = "club"\nport = 1000\n[mqtt]\nprefix = "club"\n')
    config = _read(path, {"host": None, "port": 2000, "store": "s"}, mqtt="mqtt://broker")
    assert (config.name, config.port, config.store) == ("club", 2000, "s")
    assert (config.mqtt.url, config.mqtt.prefix) == ("mqtt://broker", "club")


def test_a_ladder_needs_no_file_of_settings(tmp_path: Path) -> None:
    """Starters join one, and a server without settings had none."""
    config = _read(None, {}, ladder="main")
    assert [ladder.name for ladder in config.ladder] == ["main"]
    path = tmp_path / "arena.toml"
    path.write_text('[[ladder]]\nname = "main"\ngames = 4\n')
    assert [ladder.games for ladder in _read(path, {}, ladder="main").ladder] == [4]
    assert [ladder.name for ladder in _read(path, {}, ladder="b").ladder] == ["main", "b"]


def test_the_name_of_a_ladder_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    """As in a file."""
    with pytest.raises(typer.Exit):
        _checked(partial(_read, None, {}, ladder="a b"), apart=False)
    assert "ladder[0].name" in capsys.readouterr().err


def test_a_store_in_use_is_said_before_the_house_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Trying its players takes a while, in which a second server said nothing."""
    store = str(tmp_path / "arena.sqlite3")
    monkeypatch.setattr(house, "check_house_apart", lambda _settings: pytest.fail("tried"))
    with claim(store), pytest.raises(typer.Exit) as caught:
        _checked(partial(_read, None, {"store": store}), apart=True)
    assert caught.value.exit_code == 1
    assert f"{store} is in use by another server" in capsys.readouterr().err


def test_a_server_says_that_it_tries_its_house(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A first start compiles meanwhile, and was silent for up to a minute."""
    settings = tmp_path / "arena.toml"
    settings.write_text('store = "s"\n[[ladder]]\nname = "main"\nhouse = {greedy = "greedy"}\n')
    said: list[str] = []
    monkeypatch.setattr(house, "check_house_apart", lambda _: said.append(capsys.readouterr().err))
    _checked(partial(_read, settings, {}), apart=True)
    assert '"event": "trying the players of the house"' in said[0]


def test_too_few_files_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server with 24 ended with the traceback of whatever it opened last."""
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (24, 24))
    with pytest.raises(OSError, match="opens 64 files or more, and this shell allows 24: raise"):
        allow_many_connections()


async def test_a_server_that_stands_by_takes_over_from_one_that_is_killed(tmp_path: Path) -> None:
    """It opened no port before, takes up its settings as they are then, and ends in order."""
    async with asyncio.timeout(WALK_S), hosted(tmp_path, NO_BROKER) as first:
        settings = tmp_path / "arena.toml"
        options = ("serve", "--config", str(settings), "--standby", "--json")
        async with start("standby", *options, folder=tmp_path) as standby:
            log = tmp_path / "standby.log"
            while '"standing by"' not in log.read_text():  # noqa: ASYNC110  # no file calls back
                await asyncio.sleep(0.01)
            settings.write_text(settings.read_text().replace('"test"', '"later"'))
            standby.process.send_signal(signal.SIGHUP)
            first.child.process.kill()
            served = codec.from_json(await standby.line(), ServedArena)
            assert '"event": "listening"' in log.read_text().partition('"taking over"')[2]
            standby.process.terminate()
            await standby.succeed()
    assert served.server == "later"


async def test_a_reload_refuses_an_anchor_that_is_no_bot(tmp_path: Path) -> None:
    """As a start does; before, the ladder's scale hung on a bot that never plays."""
    ladder = '[mqtt]\nprivate_broker = false\n[[ladder]]\nname = "main"\n'
    async with asyncio.timeout(WALK_S), hosted(tmp_path, ladder):
        config = tmp_path / "arena.toml"
        config.write_text(f"{config.read_text()}anchors = {{ann = 1000.0}}\n")
        reload = ("admin", "reload", "--config", str(config))
        refused = await asyncio.to_thread(CliRunner().invoke, build(), reload)
        issue = ("token", "new", "ann", "--config", str(config))
        assert (await asyncio.to_thread(CliRunner().invoke, build(), issue)).exit_code == 0
        taken_up = await asyncio.to_thread(CliRunner().invoke, build(), reload)
    assert refused.exit_code == 1
    assert "not reloaded: ladder[0].anchors.ann: there is no such bot" in refused.stderr
    assert taken_up.exit_code == 0
    assert "ladder main.anchors" in taken_up.stdout


async def test_readiness_names_what_a_doctor_would_find_around_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy of its environment, and a place of its store that cannot be noted for others."""
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    monkeypatch.setenv("NO_PROXY", "")
    (tmp_path / "arena.toml.place").mkdir()
    config = tmp_path / "arena.toml"
    config.write_text("port = 0\nhealth_port = 0\n[mqtt]\nprivate_broker = false\n")
    options = ("serve", "--config", str(config), "--json")
    async with asyncio.timeout(WALK_S), start("server", *options, folder=tmp_path) as child:
        url = codec.from_json(await child.line(), ServedArena).health
        async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as http:
            found = (await http.get(f"{url}/readyz")).json()["findings"]
    assert found[0].startswith("https_proxy: bots and commands connect through this proxy")
    assert f"add to {config}: store = " in found[1]


def test_settings_that_were_spoilt_since_are_named_and_end_no_server(tmp_path: Path) -> None:
    """One that takes over goes on with those that it had; it listened, and ended."""
    path = tmp_path / "arena.toml"
    path.write_text("nonsense = 1\n")
    [found] = (each for each in _noticed(path, Config(), KeptLog()) if str(path) in each)
    assert "nonsense" in found


@pytest.mark.parametrize("address", ["@{}/notify", "user@1000/notify"])
async def test_a_unit_hears_that_its_server_is_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """At both kinds of address: a leading @ stands for a name that is no path.

    Again and again if it watches, so that it kills a server that hangs, which keeps its store.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WATCHDOG_USEC", "3")
    Path("user@1000").mkdir()  # noqa: ASYNC240  # nothing else runs
    address, log = address.format(tmp_path), KeptLog()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as unit:
        unit.bind(f"\0{address[1:]}" if address[0] == "@" else address)
        unit.setblocking(False)
        _notify_unit(address, log)
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(PATIENCE_S):
            for _ in range(2):
                assert await loop.sock_recv(unit, 64) == b"READY=1\nWATCHDOG=1"
    assert log.warnings == []


def test_a_beat_that_fails_is_not_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The unit killed a server that had no descriptor left for one moment; one line says it."""
    monkeypatch.setenv("WATCHDOG_USEC", "3000000")
    address, log = f"{tmp_path}/notify", KeptLog()

    async def beat() -> None:
        _notify_unit(address, log)
        for times in (1, 2):
            await asyncio.sleep(3.5)
            assert len(log.warnings) == times
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as unit:
                unit.bind(address)
                unit.setblocking(False)
                await asyncio.sleep(1.5)
                assert unit.recv(64) == b"READY=1\nWATCHDOG=1"
            Path(address).unlink()  # noqa: ASYNC240  # nothing else runs

    run(lambda _loop: beat(), VirtualLoop)


def test_a_unit_that_does_not_hear_it_is_named(tmp_path: Path) -> None:
    """Otherwise `systemctl start` waits, and no line says for what."""
    log = KeptLog()
    _notify_unit(address := f"{tmp_path}/none", log)
    (warned,) = log.warnings
    assert (warned["address"], warned["error"]) == (address, "no such file or directory")
