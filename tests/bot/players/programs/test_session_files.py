"""What a checked bot keeps of its session."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from mancala.bot.players.programs.net import SESSION, restored
from mancala.scripts.conformance.starting import started


def test_the_file_that_a_check_made_is_removed(tmp_path: Path) -> None:
    """Its secret opens nothing once the check is over."""
    with restored(tmp_path):
        (tmp_path / "trial.session").write_text(f"{SESSION}trial")
    assert _names(tmp_path) == []


def test_the_session_of_a_bot_that_plays_elsewhere_is_put_back(tmp_path: Path) -> None:
    """The check overwrote it; after a kill that bot still takes its seats back."""
    file = tmp_path / "trial.session"
    file.write_text("of a real server")
    with restored(tmp_path):
        file.write_text(f"{SESSION}trial")
    assert file.read_text() == "of a real server"


def test_a_session_that_a_bot_removed_at_its_end_is_put_back(tmp_path: Path) -> None:
    """It played its matches on the private server; its seats elsewhere are not over."""
    file = tmp_path / "trial.session"
    file.write_text("of a real server")
    with restored(tmp_path):
        file.unlink()
    assert file.read_text() == "of a real server"
    assert file.stat().st_mode & 0o777 == 0o600


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    """Also sessions that a bot begins elsewhere during the check, and a folder of that name."""
    (tmp_path / "folder.session").mkdir()
    with restored(tmp_path):
        (tmp_path / "other.session").write_text("of a real server")
        (tmp_path / "notes.txt").write_text(SESSION)
    assert _names(tmp_path) == ["folder.session", "notes.txt", "other.session"]


def test_what_an_earlier_check_left_goes_too(tmp_path: Path) -> None:
    """A check that was killed could not remove it."""
    (tmp_path / "trial.session").write_text(f"{SESSION}trial")
    with restored(tmp_path):
        pass
    assert _names(tmp_path) == []


async def test_a_bot_that_is_started_writes_into_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that is the folder that is cleared, once the bot has ended."""
    monkeypatch.chdir(tmp_path)
    code = f"open('trial.session', 'w').write('{SESSION}trial'); exit(3)"
    async with started(shlex.join([sys.executable, "-c", code]), "ws://unused") as process:
        assert process is not None
        assert await process.failed() == 3
        assert _names(tmp_path) == ["trial.session"]
    assert _names(tmp_path) == []


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
