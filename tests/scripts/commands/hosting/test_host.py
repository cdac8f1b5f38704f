"""``mancala host``: what it prints, and what it refuses."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mancala.scripts.mancala import build
from tests import node

MANIFEST = 'name = "adas"\nowner = "Ada"\ncommand = "exit 3"\nprotocol = "cmd"\n'


def _assert_refused(*arguments: str, reason: str) -> None:
    result = CliRunner().invoke(build(), ["host", *arguments, "--json"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert reason in result.stderr


def test_a_refused_bot_makes_the_command_fail(tmp_path: Path) -> None:
    """The exit code is 1; JSON and text have the same reason."""
    if shutil.which("bwrap") is None:
        node.skip("not installed: bubblewrap")
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "bot.toml").write_text(MANIFEST)
    command = ["host", str(tmp_path), "--only", "the rehearsal"]
    printed = CliRunner().invoke(build(), [*command, "--json"])
    shown = CliRunner().invoke(build(), command)
    (bot,) = json.loads(printed.stdout)["bots"]
    assert printed.exit_code == shown.exit_code == 1
    assert (bot["owner"], bot["good"], bot["failed"]) == ("Ada", False, ["the rehearsal"])
    assert bot["why"] in shown.stdout


def test_without_bubblewrap_nothing_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence says what to install; programs that are stated to be trusted need none."""
    monkeypatch.setenv("PATH", str(tmp_path))
    _assert_refused(str(tmp_path), reason="install the package bubblewrap")
    trusted = CliRunner().invoke(build(), ["host", str(tmp_path), "--trusted", "--json"])
    assert (trusted.exit_code, json.loads(trusted.stdout)) == (0, {"bots": []})


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--server", "http://h:1"), "is not the address of a match server"),
        (("--server", "wss://h:1"), "hosted bots reach ws://HOST:PORT, not 'wss://h:1'"),
        (("--only", "dancing"), "no situation 'dancing'"),
    ],
)
def test_bad_options_are_refused(options: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    """One sentence names what was wrong."""
    if shutil.which("bwrap") is None:
        node.skip("not installed: bubblewrap")
    _assert_refused(str(tmp_path), *options, reason=reason)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """Its path is in the sentence."""
    _assert_refused(str(tmp_path / "none"), reason="is no folder")
