"""What a directory of others may run: nothing, until its user says so."""

import json
import shlex
import sys
from pathlib import Path
from typing import Final

import pytest

from mancala.server.contest.headless.directory import KEY, SEAL
from tests.scripts.commands.results import mancala, refusal_of, result_of

SMALL: Final = ("--games", "2", "--rules", "kalah:pits=2,seeds=1", "--concurrency", "1")
COMMANDS: Final = ("tournament", "match")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without any state."""
    state = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    return state


def begun(command: str, folder: Path, player: str) -> None:
    result_of(command, "random", f"other={player}", *SMALL, "--dir", str(folder))


def renamed(folder: Path, spec: str) -> None:
    event = json.loads((folder / "event.json").read_text())
    event["contenders"][1]["spec"] = spec
    (folder / "event.json").write_text(json.dumps(event))
    (folder / "games.jsonl").unlink()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_directory_that_names_a_program_runs_it_only_when_it_is_trusted(
    command: str, tmp_path: Path
) -> None:
    """It was begun with harmless players and changed; the program leaves a trace if it runs."""
    folder, trace = tmp_path / "event", tmp_path / "trace"
    begun(command, folder, "greedy")
    renamed(folder, f"cmd:/usr/bin/env touch {trace}")
    refusal = refusal_of(command, "--resume", str(folder))
    assert f"other=cmd:/usr/bin/env touch {trace}" in refusal
    assert not trace.exists()
    mancala(command, "--resume", str(folder), "--trust")
    assert trace.exists()


@pytest.mark.parametrize("spec", ["engine:weights=/etc/passwd", "llm:model@http://127.0.0.1:1"])
def test_files_and_hosts_are_as_foreign_as_programs(spec: str, tmp_path: Path) -> None:
    """A model would be sent a key from the environment."""
    folder = tmp_path / "event"
    begun("tournament", folder, "greedy")
    renamed(folder, spec)
    assert "--trust" in refusal_of("tournament", "--resume", str(folder))


def test_what_this_user_began_goes_on_wherever_it_is_moved(tmp_path: Path) -> None:
    """The seal is on the players, not on the place; another user's key does not fit."""
    folder, moved = tmp_path / "event", tmp_path / "moved"
    program = tmp_path / "first.py"
    program.write_text("import sys\nfor line in sys.stdin: print(0, flush=True)\n")
    player = f"cmd:{shlex.quote(sys.executable)} {shlex.quote(str(program))}"
    begun("tournament", folder, player)
    folder.rename(moved)
    assert mancala("tournament", "--resume", str(moved)).exit_code == 0
    (tmp_path / "state" / "mancala-arena" / KEY).unlink()
    assert mancala("tournament", "--resume", str(moved)).exit_code == 2
    typed = ("tournament", "random", f"other={player}", *SMALL, "--resume", str(moved))
    assert mancala(*typed).exit_code == 0


def test_players_that_reach_nothing_need_no_seal(tmp_path: Path) -> None:
    """As an event of an earlier version, or from a colleague."""
    folder = tmp_path / "event"
    begun("tournament", folder, "greedy")
    (folder / SEAL).unlink()
    assert mancala("tournament", "--resume", str(folder)).exit_code == 0


def test_the_key_is_for_its_user_alone(tmp_path: Path) -> None:
    """Other users of the machine can't read it."""
    begun("tournament", tmp_path / "event", "greedy")
    key = tmp_path / "state" / "mancala-arena" / KEY
    assert key.stat().st_mode & 0o077 == 0
