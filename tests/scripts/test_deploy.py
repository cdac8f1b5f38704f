"""What is given for running a server for good: a unit, a container, settings."""

import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mancala.scripts.mancala import build
from mancala.server.config.loading import load
from tests.sources import ROOT

DEPLOY = ROOT / "scripts" / "deploy"
UNIT = (DEPLOY / "mancala-arena.service").read_text()


def test_the_settings_given_can_be_used(tmp_path: Path) -> None:
    """They are checked as the unit checks them, before each start; the database is not there."""
    settings = tmp_path / "arena.toml"
    text = (DEPLOY / "arena.toml").read_text()
    settings.write_text(text.replace("/var/lib/mancala-arena", str(tmp_path)))
    assert load(settings).store_path.endswith("?schema=mancala_club")
    assert load(settings).ctl is not None
    store = str(tmp_path / "arena.sqlite3")
    command = ["serve", "--config", str(settings), "--store", store, "--check-config"]
    assert CliRunner().invoke(build(), command).exit_code == 0


@pytest.mark.parametrize("key", ["ExecStartPre", "ExecStart"])
def test_the_unit_calls_commands_that_exist(key: str) -> None:
    """With options that the command has."""
    [line] = re.findall(rf"^{key}=(.*)$", UNIT, re.MULTILINE)
    program, command, *options = shlex.split(line)
    assert program.endswith("/mancala")
    known = CliRunner().invoke(build(), [command, "--help"]).stdout
    assert all(option in known for option in options if option.startswith("--"))


@pytest.mark.parametrize("name", ["Containerfile", "bot.Containerfile"])
def test_a_container_copies_what_is_there(name: str) -> None:
    """All that the wheel is made of, and the lock file."""
    text = (DEPLOY / name).read_text()
    copied = [
        name
        for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE)
        for name in line.split()[:-1]
    ]
    assert all((ROOT / name).exists() for name in copied)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    parts = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert {*parts, "protocol", "engine", "bot", "server", "scripts"} < set(copied)


def test_a_start_lasts_until_the_server_is_up() -> None:
    """What the recipes ask it right after `systemctl start` found no server yet."""
    assert re.search(r"^Type=notify$", UNIT, re.MULTILINE)


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    """Where there is a systemd to ask."""
    program = shutil.which("systemd-analyze")
    if program is None:
        return  # the other tests read the unit themselves
    unit = tmp_path / "mancala-arena.service"
    unit.write_text(re.sub(r"/opt/mancala-arena/.venv/bin/mancala", "/bin/true", UNIT))
    asked = subprocess.run(
        [program, "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    assert "mancala-arena.service" not in asked.stderr
