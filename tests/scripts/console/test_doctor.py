"""What a server would find on this machine, before it hurts."""

import asyncio
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mancala.protocol import codec
from mancala.scripts.console import doctor
from mancala.server.publish import trial
from mancala.server.store.database.database import connect
from mancala.server.store.database.lock_file import claim
from mancala.server.store.reading import inspection
from tests.drills.mosquitto import Broker
from tests.scripts.commands.results import mancala


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Name no proxy in the environment, whatever this machine has."""
    for name in (*doctor.PROXIES, "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def checks(settings: Path, *command: str) -> tuple[int, dict[str, Any]]:
    done = mancala(*(command or ("doctor",)), "--config", str(settings), "--json")
    found = codec.from_json(done.stdout, dict[str, list[dict[str, Any]]])["checks"]
    return done.exit_code, {each["name"]: each for each in found}


def test_a_machine_as_a_server_needs_it_is_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store is named with its database; `serve --check-config --connect` prints the same.

    A disk may be small where the store is.
    """
    room = SimpleNamespace(free=60_000_000)
    monkeypatch.setattr(inspection, "shutil", SimpleNamespace(disk_usage=lambda _folder: room))
    settings, store = tmp_path / "arena.toml", tmp_path / "club.sqlite3"
    settings.write_text(f'name = "club"\nport = 0\nstore = "{store}"\n')
    code, before = checks(settings)
    assert (code, before["store"]["ok"]) == (0, True)
    assert before["store"]["sentence"].endswith("the server makes it when it starts")
    connect(str(store)).close()
    code, found = checks(settings)
    assert code == 0
    assert found["store"]["sentence"].startswith(f"SQLite at {store}, ")
    assert checks(settings, "serve", "--check-config", "--connect") == (code, found)
    new = tmp_path / "new.toml"
    new.write_text(f'name = "club"\nport = 0\nstore = "{tmp_path}/new/club.sqlite3"\n')
    assert checks(new)[0] == 0
    room.free = 4_000_000
    for each in (settings, new):
        code, found = checks(each)
        assert code == 1
        assert found["store"]["sentence"].endswith("takes nothing: make room")


def test_each_finding_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A taken port, a proxy, a store that other shells do not find, and a broker that is away."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    settings = tmp_path / "arena.toml"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings.write_text(f'port = {port}\n[mqtt]\nurl = "mqtt://127.0.0.1:{port + 1}"\n')
        code, found = checks(settings)
    bad = {name: each["sentence"] for name, each in found.items() if not each["ok"]}
    assert (code, set(bad)) == (1, {"port", "place", "broker", "environment"})
    assert bad["port"] == f"127.0.0.1:{port}: address already in use"
    assert f"add to {settings}: store = " in bad["place"]
    away = f"mqtt://127.0.0.1:{port + 1}: no broker listens there; start it, or mend mqtt.url"
    assert bad["broker"] == away
    assert bad["environment"].startswith("https_proxy: ")


def test_the_port_of_a_page_of_its_own_may_be_taken(tmp_path: Path) -> None:
    """`mancala web` listens there while the server does not."""
    settings = tmp_path / "arena.toml"
    with socket.create_server(("127.0.0.1", 0)) as page:
        ports = f'port = 0\nhttp_port = {page.getsockname()[1]}\nweb_feed = "{tmp_path}/feed"\n'
        settings.write_text(f'{ports}store = "{tmp_path}/club.sqlite3"\n')
        code, found = checks(settings)
    assert (code, "http_port" in found) == (0, False)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("text", "file is not a database"),
        ("/proc/x/club.sqlite3", "/proc cannot be written"),  # not by root either
    ],
)
def test_a_store_that_cannot_be_used_is_told_once(tmp_path: Path, name: str, reason: str) -> None:
    """With the reason beside its own name; the settings stay bad for it."""
    settings, store = tmp_path / "arena.toml", tmp_path / name
    (tmp_path / "text").write_text("no database")
    settings.write_text(f'port = 0\nstore = "{store}"\n')
    code, found = checks(settings)
    bad = {name: each["sentence"] for name, each in found.items() if not each["ok"]}
    assert (code, bad.pop("store")) == (1, f"{store}: {reason}")
    assert bad == {"settings": "the store that they name cannot be used"}


def test_another_program_named_mancala_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian's game in PATH does no harm; PyPI's package shares files with ours."""
    game = tmp_path / "mancala"
    game.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    settings = tmp_path / "arena.toml"
    settings.write_text(f'port = 0\nstore = "{tmp_path}/club.sqlite3"\n')
    code, found = checks(settings)
    assert code == 0
    assert found["command"]["sentence"].startswith(f"`mancala` is {game}, another program; ours is")
    installed = tmp_path / "mancala-0.3.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: mancala\nVersion: 0.3.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    code, found = checks(settings)
    assert (code, found["command"]["ok"]) == (1, False)
    assert found["command"]["sentence"].startswith("PyPI's package mancala (0.3.0) shares files")


async def test_a_broker_that_lets_nothing_through_is_found(
    tmp_path: Path, mosquitto: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It acknowledges what it drops, so what is published is read back."""
    monkeypatch.setattr(trial, "PATIENCE_S", 1.0)
    broker = Broker(mosquitto, tmp_path)
    rights = tmp_path / "rights"
    rights.write_text("topic readwrite mancala/club/games/#\n")
    rights.chmod(0o700)
    config = tmp_path / "mosquitto.conf"
    text = config.read_text().replace("max_queued_messages 0\n", "")  # with it, it hangs up
    config.write_text(f"{text}acl_file {rights}\n")
    settings = tmp_path / "arena.toml"
    settings.write_text(f'name = "club"\nport = 0\n[mqtt]\nurl = "{broker.url}"\n')
    async with broker:
        code, found = await asyncio.to_thread(checks, settings)
    assert (code, found["broker"]["ok"]) == (1, False)
    why = "mancala/club/matches/doctor/result (not authorized (0x87)): may"
    assert why in found["broker"]["sentence"]


def test_a_running_server_keeps_its_client_id(tmp_path: Path) -> None:
    """A broker ends the connection of a client id when another one comes with it.

    It may run on another machine, whose control socket is not here.
    """
    settings, store = tmp_path / "arena.toml", tmp_path / "club.sqlite3"
    settings.write_text(
        f'port = 0\nstore = "{store}"\n[mqtt]\nurl = "mqtt://127.0.0.1:1"\nclient_id = "arena"\n'
    )
    with claim(str(store)):
        assert "a server is running whose client id" in checks(settings)[1]["broker"]["sentence"]
    killed = checks(settings)[1]["broker"]["sentence"]
    assert killed == "mqtt://127.0.0.1:1: no broker listens there; start it, or mend mqtt.url"
