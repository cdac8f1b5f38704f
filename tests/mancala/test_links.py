"""A checkout without links, as a file system without them leaves it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from mancala.links import HERE, ROOMS, explained
from tests.sources import run_python


@pytest.fixture
def without_links(tmp_path: Path) -> Path:
    """A checkout with small files in the place of the links."""
    package = tmp_path / "mancala"
    package.mkdir()
    for file in HERE.glob("*.py"):
        shutil.copy(file, package)
    for room in ROOMS:
        (package / room).write_text(f"../{room}")
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_python(*arguments, cwd=folder, check=False, PYTHONPATH=str(folder))


def test_the_command_says_in_one_line_how_to_get_the_links(without_links: Path) -> None:
    """Nothing works then, and the reason is far from the error."""
    done = run(without_links, "-m", "mancala", "--help")
    assert done.returncode == 1
    assert done.stderr == (
        f"mancala: {without_links}/mancala/scripts is not a link to ../scripts; "
        "run `git config core.symlinks true` and `git checkout -- mancala`, or install the wheel\n"
    )


def test_the_library_says_it_as_well(without_links: Path) -> None:
    """A public name cannot be loaded then, either."""
    done = run(without_links, "-c", "from mancala import run")
    assert done.stderr.splitlines()[-1].startswith("mancala.links.MissingLinksError: ")


def test_another_missing_module_is_not_explained() -> None:
    """A misspelt module of ours, or one of others, keeps its own error."""
    for name in ("mancala.protocol.rulse", "mancala.nothing", "numba", None):
        error = ModuleNotFoundError("missing", name=name)
        assert explained(error) is error
