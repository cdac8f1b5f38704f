"""``mancala check-bot``: a report, and an exit code for scripts."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mancala.scripts.conformance import kgp, programs, situations
from mancala.scripts.mancala import build
from tests.scripts.commands.results import result_of

MANCALA = f"{shlex.quote(sys.executable)} -m mancala"
PATIENCE = ("--movetime", "60", "--patience", "120")


@pytest.mark.parametrize(
    ("scheme", "command", "passed"),
    [
        ("ws", "bot {url} --ladder main", list(situations.SITUATIONS)),
        ("tcp", "kgp {url}", list(kgp.SITUATIONS)),
    ],
    ids=["ours", "of the Kalah Game Protocol"],
)
def test_our_clients_pass_every_situation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str, command: str, passed: list[str]
) -> None:
    """They are started by the command, and told where to connect."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    run = f"{MANCALA} {command} --player greedy --name trial --json"
    report = result_of("check-bot", f"{scheme}://127.0.0.1:0", "--run", run, *PATIENCE)
    assert (report["failed"], report["passed"]) == ([], passed)


def test_a_program_that_fails_makes_the_command_fail() -> None:
    """The exit code is 1; the JSON and the text say the same."""
    command = ["check-bot", "cmd:false", "--only", "the rehearsal"]
    result = CliRunner().invoke(build(), [*command, "--json"])
    assert result.exit_code == 1
    (failed,) = json.loads(result.stdout)["failed"]
    assert failed["got"] == "it ended with code 1"
    assert "it ended with code 1" in CliRunner().invoke(build(), command).stdout
    assert next(iter(programs.SITUATIONS)) == failed["situation"]


def test_a_bot_that_cannot_start_is_not_awaited() -> None:
    """The report has the exit code of its command, long before the time to connect is over."""
    run = "sh -c 'exit 3' {url}"
    command = ["check-bot", "ws://127.0.0.1:0", "--run", run, "--patience", "600"]
    result = CliRunner().invoke(build(), [*command, "--json"])
    assert result.exit_code == 1
    (failed,) = json.loads(result.stdout)["failed"]
    assert failed["expected"] == "a connection"
    assert failed["got"] == "none; its command ended with exit code 3"
