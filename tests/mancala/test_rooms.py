"""A user's own file with the name of one of our packages, as a user would run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mancala.rooms import ROOMS

BOT = "from mancala import Turn, run\nprint(Turn.__name__, run.__name__)\n"
ENGINE = "from mancala import Engine, Limit\nprint(Engine.__name__, Limit.__name__)\n"


def python(folder: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("room", ["bot", "engine", "protocol"])
def test_a_bot_saved_under_our_name_is_told_to_be_renamed(room: str, tmp_path: Path) -> None:
    """The README's bot saved as ``bot.py`` fails with the cause and the remedy."""
    (tmp_path / f"{room}.py").write_text(BOT)
    done = python(tmp_path, f"{room}.py")
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1] == (
        f"mancala.rooms.ShadowedError: {tmp_path}/{room}.py hides the package {room!r} of "
        f"mancala-arena; rename the file, for example to my_{room}.py"
    )


@pytest.mark.parametrize("room", ["server", "scripts"])
@pytest.mark.parametrize("program", [BOT, ENGINE])
def test_a_name_that_the_library_does_not_need_is_free(
    room: str, program: str, tmp_path: Path
) -> None:
    """A bot needs neither our server nor our commands, so its author may have their names."""
    (tmp_path / f"{room}.py").write_text(program)
    done = python(tmp_path, f"{room}.py")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("room", ROOMS)
def test_the_command_names_the_file_that_hides_a_package(room: str, tmp_path: Path) -> None:
    """One line says which file hides what, in place of an error far from the cause."""
    (tmp_path / f"{room}.py").write_text("")
    done = python(tmp_path, "-m", "mancala", "--help")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"mancala: {tmp_path}/{room}.py hides the package {room!r} of mancala-arena; "
        f"rename the file, for example to my_{room}.py\n"
    )


@pytest.mark.parametrize("room", ROOMS)
def test_the_installed_command_does_not_look_into_the_current_folder(
    room: str, tmp_path: Path
) -> None:
    """``mancala`` as it is installed works beside files of any name, unless the path names them."""
    (tmp_path / f"{room}.py").write_text("raise SystemExit(9)\n")
    program = Path(sys.executable).with_name("mancala")
    plays = python(tmp_path, str(program), "play", "--player", "random")
    assert (plays.returncode, plays.stderr) == (0, "")
    hidden = python(tmp_path, str(program), "--help", PYTHONPATH=str(tmp_path))
    assert hidden.returncode == 1
    assert hidden.stderr.startswith(f"mancala: {tmp_path}/{room}.py hides")


def test_a_folder_that_is_a_package_is_named_as_a_folder(tmp_path: Path) -> None:
    """A package of the user's hides ours as a file does."""
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "__init__.py").write_text("")
    (tmp_path / "mine.py").write_text(BOT)
    done = python(tmp_path, "mine.py")
    assert f"{tmp_path}/bot hides the package 'bot'" in done.stderr
    assert "rename the folder, for example to my_bot" in done.stderr


def test_a_folder_that_is_no_package_hides_nothing(tmp_path: Path) -> None:
    """Many projects have a folder ``scripts`` or ``server``; Python prefers our package to it."""
    for room in ROOMS:
        (tmp_path / room).mkdir()
    (tmp_path / "mine.py").write_text(BOT)
    assert python(tmp_path, "mine.py").returncode == 0


def test_a_module_that_was_loaded_before_is_named_as_well(tmp_path: Path) -> None:
    """It makes no difference whether the user's module was imported before the façade."""
    (tmp_path / "bot.py").write_text("")
    (tmp_path / "mine.py").write_text(f"import bot\n{BOT}")
    assert f"{tmp_path}/bot.py hides" in python(tmp_path, "mine.py").stderr
